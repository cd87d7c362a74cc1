// Where a packet is: as shares of the way along its link. Times are whole picoseconds.

/** The share of its way that a bit has gone which left at this time. */
function shareOfWay(left, delay, time) {
  if (time < left) return 0;
  return delay > 0 ? Math.min((time - left) / delay, 1) : 1;
}

/** Where the last bit of a packet is, and the first; null if none of it is on the link. */
function bitsOf({ leaves, length, delay, gone }, time) {
  if (time < leaves || time >= gone) return null;
  return [shareOfWay(leaves + length, delay, time), shareOfWay(leaves, delay, time)];
}

/** Whether a packet waits at its port. */
const isWaiting = ({ since, leaves }, time) => since <= time && time < leaves;

// Positions of packets, as shares of the length of a link. Times are whole picoseconds.

/** The position at `time` of a bit that left at `left`. */
function shareOfWay(left, delay, time) {
  if (time < left) return 0;
  return delay > 0 ? Math.min((time - left) / delay, 1) : 1;
}

/** Positions of the last bit of a packet and of the first; null if no bit is on the link. */
function bitsOf({ leaves, length, delay, gone }, time) {
  if (time < leaves || time >= gone) return null;
  return [shareOfWay(leaves + length, delay, time), shareOfWay(leaves, delay, time)];
}

/** Whether a packet waits at its port. */
const isWaiting = ({ since, leaves }, time) => since <= time && time < leaves;

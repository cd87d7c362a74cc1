//! Keys that scenarios do not have, and the keys of descendants of the artifact. Values of the
//! latter are single words.

/// Keys without a counterpart, each with the reason.
pub(super) const UNUSED_KEYS: [(&str, &str); 13] = [
    (
        "DATA_RATE",
        "the artifact does not use it either: the topology has the rates",
    ),
    (
        "LINK_DELAY",
        "the artifact does not use it either: the topology has the delays",
    ),
    (
        "PAUSE_TIME",
        "a pause lasts until the resume, as it does in the artifact",
    ),
    (
        "USE_DYNAMIC_PFC_THRESHOLD",
        "the artifact's thresholds are dynamic with any value",
    ),
    (
        "L2_CHUNK_SIZE",
        "it matters only with L2_BACK_TO_ZERO 1 or sparse ACKs",
    ),
    (
        "TRACE_FILE",
        "packets are traced if measure.packets says so",
    ),
    (
        "TRACE_OUTPUT_FILE",
        "packets are traced if measure.packets says so",
    ),
    (
        "ENABLE_TRACE",
        "packets are traced if measure.packets says so",
    ),
    ("FCT_OUTPUT_FILE", "completion times are in flows.parquet"),
    ("PFC_OUTPUT_FILE", "pauses are in series.parquet"),
    ("QLEN_MON_FILE", "queues are in series.parquet"),
    (
        "QLEN_MON_START",
        "queues are sampled during the whole run; see [measure]",
    ),
    (
        "QLEN_MON_END",
        "queues are sampled during the whole run; see [measure]",
    ),
];

/// Keys that ConWeave reads in addition to the artifact's, each with its use in the import.
pub(super) const CONWEAVE_KEYS: [(&str, &str); 20] = [
    ("CNP_OUTPUT_FILE", OUTPUT),
    ("CONN_MON_FILE", OUTPUT),
    ("CONWEAVE_DEFAULT_VOQ_WAITING_TIME", NO_CONWEAVE),
    ("CONWEAVE_EXTRA_VOQ_FLUSH_TIME", NO_CONWEAVE),
    ("CONWEAVE_PATH_PAUSE_TIME", NO_CONWEAVE),
    ("CONWEAVE_REPLY_TIMEOUT_EXTRA", NO_CONWEAVE),
    ("CONWEAVE_TX_EXPIRY_TIME", NO_CONWEAVE),
    (
        "ENABLE_IRN",
        "0 is what the scenario has: lost data is sent again from the first",
    ),
    ("ENABLE_PFC", ""),
    ("EST_ERROR_MON_FILE", OUTPUT),
    ("FLOWGEN_START_TIME", "the flow file has the starts"),
    (
        "FLOWGEN_STOP_TIME",
        "a run goes on until all flows are done, as ConWeave's does",
    ),
    (
        "FLOW_INPUT_FILE",
        "ConWeave writes it: flows.parquet has them",
    ),
    ("LB_MODE", ""),
    ("LOAD", "the flow file has the load"),
    ("RANDOM_SEED", "a scenario's seed is run.seed"),
    (
        "SW_MONITORING_INTERVAL",
        "queues are sampled as [measure] says",
    ),
    ("UPLINK_MON_FILE", OUTPUT),
    ("VOQ_MON_DETAIL_FILE", OUTPUT),
    ("VOQ_MON_FILE", OUTPUT),
];
const OUTPUT: &str = "an output of ConWeave's own";
const NO_CONWEAVE: &str = "LB_MODE is not ConWeave";

/// Keys that only SimAI reads.
pub(super) const SIMAI_KEYS: [&str; 8] = [
    "BW_MON_FILE",
    "BW_MON_INTERVAL",
    "CNP_MON_FILE",
    "MON_END",
    "MON_START",
    "NIC_TOTAL_PAUSE_TIME",
    "QP_MON_INTERVAL",
    "RATE_MON_FILE",
];

//! Ids: distinct types, so that a host is never taken for a flow.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

macro_rules! id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Copy, Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
        #[derive(Serialize, Deserialize, JsonSchema)]
        #[serde(transparent)]
        pub struct $name(pub u32);

        impl $name {
            /// The id as an index into a table.
            pub const fn index(self) -> usize {
                self.0 as usize
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.fmt(f)
            }
        }
    };
}

id! {
    /// A host, counted from 0. A host's node id is the same number: hosts come first.
    HostId
}
id! {
    /// A node of the topology, host or switch, counted from 0.
    NodeId
}
id! {
    /// A flow, counted from 0 in order of start.
    FlowId
}

impl From<HostId> for NodeId {
    fn from(host: HostId) -> Self {
        NodeId(host.0)
    }
}

use super::super::tests::refused;
use super::*;

fn spec(operation: CollectiveOperation) -> CollectiveSpec {
    CollectiveSpec::new(operation, Bytes::new(1000))
}

#[test]
fn what_means_nothing_is_refused() {
    use CollectiveAlgorithm::{Direct, HalvingDoubling, Hierarchical, Ring, Tree};
    use CollectiveOperation::{AllReduce, AllToAll, Broadcast, SendReceive};
    let by = |operation, algorithm| CollectiveSpec {
        algorithm: Some(algorithm),
        ..spec(operation)
    };
    for (spec, message) in [
        (
            by(Broadcast, HalvingDoubling),
            "algorithm: broadcast is not done by `halving-doubling`; write one of: ring, tree",
        ),
        (
            by(SendReceive, Ring),
            "algorithm: send-receive is not done by `ring`; write one of: direct",
        ),
        (
            by(AllReduce, HalvingDoubling),
            "hosts: 6 ranks cannot be halved again and again; give 4 or 8 hosts",
        ),
        (
            by(AllReduce, Hierarchical),
            "node_size: how many of the 6 ranks a node has is not told; write one of 2, 3",
        ),
        (
            CollectiveSpec {
                node_size: Some(4),
                ..by(AllReduce, Hierarchical)
            },
            "node_size: 6 ranks are not two or more nodes of 4; write one of 2, 3",
        ),
        (
            CollectiveSpec {
                node_size: Some(2),
                ..by(AllReduce, Tree)
            },
            "node_size: it means nothing for all-reduce by tree; \
             leave it out, or choose another algorithm",
        ),
        (
            CollectiveSpec {
                channels: Some(0),
                ..spec(AllReduce)
            },
            "channels: 0 makes no traffic; give at least 1",
        ),
        (
            CollectiveSpec {
                channels: Some(1 << 16),
                ..spec(AllReduce)
            },
            "channels: each rank would have 65536 streams; \
             give fewer channels, or rings: 65535 streams at most",
        ),
        (
            CollectiveSpec {
                chunk: Some(Bytes::new(10)),
                ..by(AllReduce, Direct)
            },
            "chunk: it means nothing for all-reduce by direct; \
             leave it out, or choose another algorithm",
        ),
        (
            CollectiveSpec {
                root: Some(HostId(1).into()),
                ..spec(AllToAll)
            },
            "root: it means nothing for all-to-all by direct; \
             leave it out, or choose another algorithm",
        ),
        (
            CollectiveSpec {
                root: Some(HostId(1).into()),
                hosts: "2-5".parse().unwrap(),
                ..spec(Broadcast)
            },
            "root: host 1 takes no part; give one of `hosts`",
        ),
        (
            CollectiveSpec {
                slots: Some(0),
                ..spec(Broadcast)
            },
            "slots: 0 makes no traffic; give at least 1",
        ),
        (
            CollectiveSpec {
                rounds: u64::MAX,
                ..spec(Broadcast)
            },
            "rounds: it would take 92233720368547758075 flows, more than there are numbers for; \
             give fewer rounds or rings, or larger chunks: 4294967294 flows at most",
        ),
        (
            CollectiveSpec {
                data: Bytes::new(1 << 62),
                chunk: Some(Bytes::new(1)),
                ..spec(Broadcast)
            },
            "chunk: 4194304TiB would be cut into so many chunks that \
             27670116110564327424 are sent; give larger chunks: 4294967294 flows at most",
        ),
        (
            CollectiveSpec {
                hosts: HostId(0).into(),
                ..spec(Broadcast)
            },
            "hosts: 1 host is too few; 2 are needed at least",
        ),
    ] {
        assert_eq!(refused(spec, 6), message);
    }
}

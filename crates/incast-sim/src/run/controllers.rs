//! The congestion controllers of all flows.

mod concealed;

use std::ops::Deref;

use incast_cc::{FlowContext, FlowController, Needs, Parameters as _, UncontrolledConfig};
use incast_net::{Controllers, Flow, NicCalls};
use incast_random::mix;

use crate::spec::{Algorithms, ValidSpec};
use concealed::Concealed;

/// Creates each flow's controller, from the facts that its NIC knows.
pub(super) struct FlowControllers<S> {
    spec: S,
    /// The calls that each group of flows needs, if there are several algorithms.
    calls: Option<Vec<NicCalls>>,
}

impl<S: Deref<Target = ValidSpec>> FlowControllers<S> {
    pub(super) fn new(spec: S) -> Self {
        let algorithms = spec.algorithms();
        let calls = algorithms.are_mixed().then(|| {
            algorithms.by_group(|algorithm| NicCalls {
                cnps: algorithm.takes_cnps,
                ..NicCalls::from(&algorithm.needs)
            })
        });
        Self { spec, calls }
    }

    fn algorithms(&self) -> &Algorithms {
        self.spec.algorithms()
    }

    fn context(&self, flow: &Flow) -> FlowContext {
        let spec = &*self.spec;
        let base_rtt = spec.base_rtt(flow.source, flow.destination);
        let mtu = spec.network().packets.mtu;
        FlowContext {
            flow: flow.id,
            line_rate: spec.ports().of(flow.source.into())[0].rate,
            base_rtt: base_rtt.rtt,
            base_window: base_rtt.window,
            mtu,
            wire_mtu: spec.wire_size(mtu),
            size: flow.size,
            trims: spec.network().trims(),
            seed: mix(spec.seed() ^ mix(flow.id.0.into())),
        }
    }
}

impl<S: Deref<Target = ValidSpec> + Send + Sync> Controllers for FlowControllers<S> {
    /// In a run with several algorithms, a controller gets only the signals that its algorithm
    /// needs.
    fn create(&self, flow: &Flow) -> Box<dyn FlowController> {
        let context = self.context(flow);
        let Some(algorithm) = self.algorithms().of_flows(flow.tag) else {
            return UncontrolledConfig::default().build(&context);
        };
        let controller = algorithm.config().build(&context);
        match self.algorithms().are_mixed() {
            true => Concealed::from(controller, &algorithm.needs),
            false => controller,
        }
    }

    /// The group of a flow: flows of different algorithms, or with and without control, share no
    /// state.
    fn group(&self, flow: &Flow) -> u16 {
        self.algorithms().group(flow.tag)
    }

    /// The calls for a flow. Flows without control send CNPs for marks as the algorithm of `[cc]`
    /// does.
    fn calls(&self, flow: &Flow, common: NicCalls) -> NicCalls {
        let calls = self.calls.as_ref();
        calls.map_or(common, |calls| calls[usize::from(self.group(flow))])
    }

    fn failure(&self) -> Option<String> {
        let mut algorithms = self.algorithms().iter();
        algorithms.find_map(|algorithm| algorithm.config().failure())
    }

    fn is_interrupted(&self) -> bool {
        let mut algorithms = self.algorithms().iter();
        algorithms.any(|algorithm| algorithm.config().is_interrupted())
    }

    fn needs(&self) -> Needs {
        self.algorithms().needs().clone()
    }
}

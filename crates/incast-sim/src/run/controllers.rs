//! Congestion control for every flow.

mod concealed;

use std::ops::Deref;

use incast_cc::{FlowContext, FlowController, Needs, Parameters as _, UncontrolledConfig};
use incast_net::{Controllers, Flow, NicCalls};
use incast_random::mix;

use crate::spec::{Algorithms, ValidSpec};
use concealed::Concealed;

/// Tells each flow's controller what its NIC would know.
pub(super) struct FlowControllers<S> {
    spec: S,
    /// By group of flows, if there are several algorithms.
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
    /// Beside another algorithm, one is told of the signals that it needs, and of no others.
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

    /// Flows of two algorithms, or with and without control, share no state.
    fn group(&self, flow: &Flow) -> u16 {
        self.algorithms().group(flow.tag)
    }

    /// Marks of flows that are not controlled cause CNPs as those under `[cc]` do.
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

//! Congestion control for every flow.

use incast_cc::{FlowContext, FlowController, Needs, Parameters as _, UncontrolledConfig};
use incast_net::{Controllers, Flow};
use incast_random::mix;

use crate::spec::ValidSpec;

/// Tells each flow's controller what its NIC would know.
pub(super) struct FlowControllers<'a> {
    spec: &'a ValidSpec,
}

impl<'a> FlowControllers<'a> {
    pub(super) fn new(spec: &'a ValidSpec) -> Self {
        Self { spec }
    }

    fn context(&self, flow: &Flow) -> FlowContext {
        let spec = self.spec;
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
            seed: mix(spec.seed() ^ mix(flow.id.0.into())),
        }
    }
}

impl Controllers for FlowControllers<'_> {
    fn create(&self, flow: &Flow) -> Box<dyn FlowController> {
        let context = self.context(flow);
        match self.spec.is_controlled(flow.tag) {
            true => self.spec.algorithm().build(&context),
            false => UncontrolledConfig::default().build(&context),
        }
    }

    /// Flows that are not controlled share no state with others.
    fn group(&self, flow: &Flow) -> u16 {
        u16::from(!self.spec.is_controlled(flow.tag))
    }

    fn failure(&self) -> Option<String> {
        self.spec.algorithm().failure()
    }

    fn is_interrupted(&self) -> bool {
        self.spec.algorithm().is_interrupted()
    }

    fn needs(&self) -> Needs {
        self.spec.algorithm().needs()
    }
}

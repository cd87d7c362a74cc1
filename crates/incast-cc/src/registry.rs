//! The table of all algorithms by name.

use incast_diagnostic::Diagnostic;
use incast_registry::{Registered, registry};

use crate::parameters::Parameters;
use crate::{FlowContext, FlowController, Needs, Part};

registry! {
    /// An algorithm with its parameters.
    #[derive(Clone, Debug, PartialEq)]
    pub enum AlgorithmConfig: Parameters as "algorithm" {
        "dcqcn" => Dcqcn(crate::DcqcnConfig),
            "Data Center QCN: rates decreased by echoed marks, for RoCE (Zhu et al., SIGCOMM 2015)";
        "dctcp" => Dctcp(crate::DctcpConfig),
            "Data Center TCP: windows decreased by the share of marks \
             (Alizadeh et al., SIGCOMM 2010)";
        "ecn-tcp" => EcnTcp(crate::EcnTcpConfig),
            "TCP with ECN: the window halved once per window of data with a mark (RFC 3168)";
        "external" => External(crate::ExternalConfig),
            "An algorithm of one's own: a class in a Python file, or a Rust program's";
        "fncc" => Fncc(crate::FnccConfig),
            "Fast Notification Congestion Control: HPCC told by ACKs of what they pass (Xu et al.)";
        "hpcc" => Hpcc(crate::HpccConfig),
            "High Precision Congestion Control: windows from in-band telemetry \
             (Li et al., SIGCOMM 2019)";
        "hpcc++" => HpccPlusPlus(crate::HpccPlusPlusConfig),
            "HPCC++: HPCC in windows, told at every ACK or once per RTT \
             (Miao et al., Internet-Draft)";
        "lgc" => Lgc(crate::LgcConfig),
            "Logistic Growth Control: rates that compete as populations do \
             (Teymoori et al., LCN 2016)";
        "none" => None(crate::UncontrolledConfig),
            "No congestion control: every flow at line rate, for contrast";
        "nscc" => Nscc(crate::NsccConfig),
            "Network Signal-based Congestion Control of Ultra Ethernet: windows by marks and delay \
             (UE Specification 1.0)";
        "powertcp" => PowerTcp(crate::PowerTcpConfig),
            "PowerTCP: rates from the power of the busiest link, queue and its growth \
             (Addanki et al., NSDI 2022)";
        "rccc" => Rccc(crate::RcccConfig),
            "Receiver Credit Congestion Control of Ultra Ethernet: senders send what receivers \
             grant (UE Specification 1.0)";
        "rocc" => Rocc(crate::RoccConfig),
            "RoCC: fair rates computed by switches, for RDMA (Taheri et al., CoNEXT 2020)";
        "s-perc" => SPerc(crate::SPercConfig),
            "s-PERC: max-min fair rates that control packets find link by link \
             (Jose et al., SIGMETRICS 2019)";
        "swift" => Swift(crate::SwiftConfig),
            "Swift: a target delay that fits path and window (Kumar et al., SIGCOMM 2020)";
        "theta-powertcp" => ThetaPowerTcp(crate::ThetaPowerTcpConfig),
            "θ-PowerTCP: PowerTCP without INT, from the RTT and its gradient \
             (Addanki et al., NSDI 2022)";
        "timely" => Timely(crate::TimelyConfig),
            "TIMELY: rates steered by the gradient of the RTT (Mittal et al., SIGCOMM 2015)";
    }

    impl {
        /// Checks that the algorithm can work with these values.
        ///
        /// # Errors
        /// The first wrong value, under the parameter's key.
        pub fn check(&self) -> Result<(), Diagnostic>;

        /// The signals that the algorithm needs from the network.
        pub fn needs(&self) -> Needs;

        /// The parts that the algorithm takes.
        pub fn parts(&self) -> &'static [Part];

        /// The target utilisation of the busiest link, if it is below 1.
        pub fn target_utilisation(&self) -> Option<f64>;

        /// Adds a part, one of [`parts`](Self::parts), with the part's default parameters.
        pub fn add(&mut self, part: Part);

        /// Builds the controller of one flow.
        pub fn build(&self, context: &FlowContext) -> Box<dyn FlowController>;
    }
}

impl AlgorithmConfig {
    /// The default parameters of the algorithm `name`, or its named set `set`, with parts.
    ///
    /// # Errors
    /// If there is no such algorithm or set, or if the algorithm does not take a part.
    pub fn with_parts(name: &str, set: Option<&str>, parts: &[Part]) -> Result<Self, Diagnostic> {
        let mut algorithm = Self::with_defaults(name, set)?;
        let taken = algorithm.parts();
        for part in parts {
            if !taken.contains(part) {
                let names = taken.iter().map(|part| part.name());
                return Err(Diagnostic::unknown("part", part.name(), names));
            }
            algorithm.add(*part);
        }
        Ok(algorithm)
    }

    /// The built-in algorithms: all rows except the row for external algorithms.
    pub fn built_in() -> Vec<Registered> {
        let all = Self::available().iter().copied();
        all.filter(|info| info.name != "external").collect()
    }

    /// The error of an external algorithm that failed, if any.
    pub fn failure(&self) -> Option<String> {
        match self {
            Self::External(external) => external.bound().and_then(|bound| bound.failure()),
            _ => None,
        }
    }

    /// Whether the user wants to stop the run, as reported by an external algorithm.
    pub fn is_interrupted(&self) -> bool {
        match self {
            Self::External(external) => {
                external.bound().is_some_and(|bound| bound.is_interrupted())
            }
            _ => false,
        }
    }

    /// The parts that the algorithm `name` takes; empty if there is no such algorithm.
    pub fn parts_of(name: &str) -> &'static [Part] {
        Self::with_defaults(name, None).map_or(&[], |algorithm| algorithm.parts())
    }
}

#[cfg(test)]
mod tests;

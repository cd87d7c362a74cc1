//! Groups of endpoints, and the ports by which collective operations reach their members.

use incast_diagnostic::Diagnostic;

use crate::shape::FabricShape;

/// A group, and the switches and ports of its members.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Group {
    /// In ascending order.
    members: Vec<u16>,
    /// ToRs with members, in ascending order.
    tors: Vec<u16>,
    /// By ToR: ports to its members.
    ports: Vec<Vec<u16>>,
}

impl Group {
    /// A group of the endpoints `members`, in any order.
    ///
    /// # Errors
    /// If there are fewer than two members, a member is named twice, or an endpoint does not exist.
    pub fn new(shape: &FabricShape, members: &[u16]) -> Result<Self, Diagnostic> {
        let mut sorted = members.to_vec();
        sorted.sort_unstable();
        if let Some(pair) = sorted.windows(2).find(|pair| pair[0] == pair[1]) {
            let what = format!("endpoint {} is a member twice", pair[0]);
            return Err(Diagnostic::new(what, "name each member once"));
        }
        if sorted.len() < 2 {
            let what = format!("a group of {}", sorted.len());
            return Err(Diagnostic::new(what, "a group has at least 2 members"));
        }
        let last = sorted[sorted.len() - 1];
        if last >= shape.endpoints() {
            let what = format!("endpoint {last} does not exist");
            let hint = format!("the fabric has endpoints 0 to {}", shape.endpoints() - 1);
            return Err(Diagnostic::new(what, hint));
        }
        let mut ports = vec![Vec::new(); usize::from(shape.tors)];
        for &member in &sorted {
            ports[usize::from(shape.tor_of(member))].push(shape.local_port(member));
        }
        let tors = (0..shape.tors).filter(|&tor| !ports[usize::from(tor)].is_empty());
        Ok(Self {
            tors: tors.collect(),
            members: sorted,
            ports,
        })
    }

    /// All endpoints.
    pub fn all(shape: &FabricShape) -> Result<Self, Diagnostic> {
        let members: Vec<u16> = (0..shape.endpoints()).collect();
        Self::new(shape, &members)
    }

    /// The members, in ascending order.
    pub fn members(&self) -> &[u16] {
        &self.members
    }

    /// Whether `endpoint` is a member.
    pub fn has(&self, endpoint: u16) -> bool {
        self.members.binary_search(&endpoint).is_ok()
    }

    /// ToRs with members, in ascending order.
    pub fn tors(&self) -> &[u16] {
        &self.tors
    }

    /// Ports of `tor` that lead to members.
    pub fn ports_at(&self, tor: u16) -> &[u16] {
        &self.ports[usize::from(tor)]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn members_have_ports_at_their_tors() {
        let shape = FabricShape::fat_tree(64).unwrap();
        let group = Group::new(&shape, &[17, 3, 16]).unwrap();
        assert_eq!(group.members(), [3, 16, 17]);
        assert_eq!(group.tors(), [0, 2]);
        assert_eq!(group.ports_at(2), [0, 1]);
        assert!(group.ports_at(1).is_empty());
        assert!(group.has(16) && !group.has(15));
    }

    #[test]
    fn groups_that_are_none() {
        let shape = FabricShape::fat_tree(64).unwrap();
        let said = |members: &[u16]| Group::new(&shape, members).unwrap_err().to_string();
        assert_eq!(said(&[5]), "a group of 1; a group has at least 2 members");
        assert_eq!(
            said(&[5, 7, 5]),
            "endpoint 5 is a member twice; name each member once"
        );
        assert_eq!(
            said(&[5, 64]),
            "endpoint 64 does not exist; the fabric has endpoints 0 to 63"
        );
    }
}

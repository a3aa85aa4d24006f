//! The nodes of all processes as a list.

use std::borrow::Cow;

use cubefold_mapping::Placement;
use cubefold_topology::NodeId;

/// The node of every process of `placement`, in order; copied only where there is no list yet.
pub(crate) fn node_list(placement: &Placement) -> Cow<'_, [NodeId]> {
    match placement {
        Placement::Table(table) => Cow::Borrowed(table.nodes()),
        Placement::Course(course) => Cow::Borrowed(course.table().nodes()),
        Placement::Greenberg(placement) => Cow::Borrowed(placement.table().nodes()),
        Placement::Product(_) | Placement::Construction(_) => Cow::Owned(placement.nodes()),
    }
}

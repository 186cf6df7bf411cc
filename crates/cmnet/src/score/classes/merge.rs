//! Groups of classes that become one.

/// No group yet.
const ALONE: u32 = u32::MAX;

/// Groups of classes that become one. It forgets quickly: only what was touched is reset.
#[derive(Debug, Default)]
pub(super) struct Merge {
    /// Each class's group.
    group: Vec<u32>,
    /// The classes that have a group.
    members: Vec<u32>,
    /// For each group the one that it belongs to: itself, or an earlier one.
    parent: Vec<u32>,
    /// For each group that belongs to itself the smallest class, when that is asked for.
    into: Vec<u32>,
    /// The members, group by group, when that is asked for.
    sorted: Vec<(u32, u32)>,
}

impl Merge {
    /// Makes room for classes up to `size`.
    pub(super) fn reserve(&mut self, size: usize) {
        if self.group.len() < size {
            self.group.resize(size, ALONE);
        }
    }

    fn root(&self, mut group: u32) -> u32 {
        while self.parent[group as usize] != group {
            group = self.parent[group as usize];
        }
        group
    }

    /// Gives a class a group, if only of its own.
    pub(super) fn touch(&mut self, class: u32) {
        if self.group[class as usize] == ALONE {
            let group = self.parent.len() as u32;
            self.parent.push(group);
            self.put(class, group);
        }
    }

    /// Makes two classes one; nothing happens when they are.
    #[inline]
    pub(super) fn join(&mut self, one: u32, other: u32) {
        if one == other {
            return;
        }
        match (self.group[one as usize], self.group[other as usize]) {
            (ALONE, ALONE) => {
                let group = self.parent.len() as u32;
                self.parent.push(group);
                self.put(one, group);
                self.put(other, group);
            }
            (group, ALONE) => self.put(other, group),
            (ALONE, group) => self.put(one, group),
            (group, also) if group == also => {}
            (group, also) => {
                let (group, also) = (self.root(group), self.root(also));
                self.parent[group.max(also) as usize] = group.min(also);
            }
        }
    }

    fn put(&mut self, class: u32, group: u32) {
        self.group[class as usize] = group;
        self.members.push(class);
    }

    /// Gives every member the group that its group belongs to.
    fn flatten(&mut self) {
        // A group belongs to an earlier one, which is flat already.
        for group in 0..self.parent.len() {
            self.parent[group] = self.parent[self.parent[group] as usize];
        }
        for &class in &self.members {
            self.group[class as usize] = self.parent[self.group[class as usize] as usize];
        }
    }

    /// The classes of every group, each with its group.
    pub(super) fn groups(&mut self) -> impl Iterator<Item = &[(u32, u32)]> {
        self.flatten();
        self.sorted.clear();
        let place = |&class: &u32| (self.group[class as usize], class);
        self.sorted.extend(self.members.iter().map(place));
        self.sorted.sort_unstable();
        self.sorted.chunk_by(|one, other| one.0 == other.0)
    }

    /// Finds the smallest class of every group.
    pub(super) fn settle(&mut self) {
        self.flatten();
        self.into.resize(self.parent.len(), u32::MAX);
        for &class in &self.members {
            let into = &mut self.into[self.group[class as usize] as usize];
            *into = class.min(*into);
        }
    }

    /// The class that a class becomes, once groups are settled; `None` for one that has no group.
    pub(super) fn becomes(&self, class: u32) -> Option<u32> {
        match self.group[class as usize] {
            ALONE => None,
            group => Some(self.into[group as usize]),
        }
    }

    /// The classes that become another, with that one, once groups are settled.
    pub(super) fn moves(&self) -> impl Iterator<Item = (u32, u32)> {
        let into = |&class: &u32| (class, self.into[self.group[class as usize] as usize]);
        self.members.iter().map(into).filter(|(class, into)| class != into)
    }

    /// The classes that groups become, once these are settled.
    pub(super) fn made(&self) -> impl Iterator<Item = u32> {
        self.into.iter().copied().filter(|&class| class != u32::MAX)
    }

    /// Forgets all groups.
    pub(super) fn clear(&mut self) {
        for class in self.members.drain(..) {
            self.group[class as usize] = ALONE;
        }
        self.parent.clear();
        self.into.clear();
    }
}

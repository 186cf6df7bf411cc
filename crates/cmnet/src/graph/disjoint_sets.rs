//! Sets that only ever join: classes of configurations, blocks of terms, parts of a graph.

/// Union-find over 0..n.
#[derive(Clone, Debug, Default)]
pub struct DisjointSets {
    parent: Vec<u32>,
}

impl DisjointSets {
    /// So many members, each in a set of its own.
    pub fn new(size: usize) -> Self {
        Self { parent: (0..size as u32).collect() }
    }

    /// The representative of a member's set: its smallest member.
    pub fn find(&mut self, member: usize) -> usize {
        let mut root = member;
        while self.parent[root] as usize != root {
            self.parent[root] = self.parent[self.parent[root] as usize];
            root = self.parent[root] as usize;
        }
        root
    }

    /// Joins the sets of two members.
    pub fn join(&mut self, one: usize, other: usize) {
        let (one, other) = (self.find(one), self.find(other));
        self.parent[one.max(other)] = one.min(other) as u32;
    }

    /// Adds a member in a set of its own and returns it.
    pub fn push(&mut self) -> usize {
        let member = self.parent.len();
        self.parent.push(member as u32);
        member
    }

    /// The number of each member's set, sets numbered by their smallest member.
    pub fn numbered(mut self) -> (Vec<u32>, usize) {
        let mut numbers: Vec<u32> = vec![0; self.parent.len()];
        let mut sets = 0;
        for member in 0..numbers.len() {
            let root = self.find(member);
            if root == member {
                numbers[member] = sets;
                sets += 1;
            } else {
                numbers[member] = numbers[root];
            }
        }
        (numbers, sets as usize)
    }
}

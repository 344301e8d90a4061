# distutils: language = c++
"""The choice among the references that reach the best ratio.

A label-setting search for several objectives: along the paths that attain the best lambda, the
different counts are propagated, together with those of the source aligned with the same reference;
each cell keeps its Pareto front of labels:

    labels[b] = nondominated(union over arcs a -> b of  labels[a] + columns)

Where that takes too many steps, any path that attains lambda is chosen.
"""

from libc.stdint cimport int32_t, int64_t
from libcpp.algorithm cimport reverse, sort

cimport cython

from geceval.kernels.imeasure.column_counts cimport (
    BY_FN,
    BY_FP,
    BY_WACC,
    ColumnCounts,
    Fraction,
    RankingKey,
    lowest_key,
    ratio,
    side_of,
    ranks_higher,
    unchanged,
    unpacked,
    value_of,
)
from geceval.kernels.imeasure.dinkelbach cimport Dinkelbach
from geceval.kernels.imeasure.problem cimport SearchProblem
from geceval.kernels.imeasure.source_alignment cimport (
    Profile,
    ProfileArc,
    RowBackpointer,
    SourceAlignment,
)
from geceval.kernels.imeasure.state_graph cimport MINUS_INFINITY, Arc
from geceval.kernels.imeasure.sum_of_pairs cimport NO_TOKEN

cdef enum:
    # Backpointers, 8 bytes each.
    MOST_BACKPOINTERS = 20_000_000
    # Labels at cells ahead, 56 bytes each.
    MOST_PENDING = 8_000_000


cdef bint is_before(const Label& a, const Label& b) noexcept nogil:
    if a.profile != b.profile:
        return a.profile < b.profile
    if a.row != b.row:
        return a.row < b.row
    if a.tn != b.tn:
        return a.tn < b.tn
    if a.fn != b.fn:
        return a.fn > b.fn
    return a.counts > b.counts


@cython.final
cdef class ParetoFront:
    """The choice for one sentence after the other; keeps its memory."""

    def __init__(self, SearchProblem problem, Dinkelbach best, SourceAlignment baseline):
        self.problem = problem
        self.states = best.states
        self.best = best
        self.baseline = baseline

    cdef bint choose(self) except -1 nogil:
        """Choose a reference; return whether ties were settled within the allowed steps."""
        cdef bint is_settled = self._propagate()
        self._path.clear()
        if is_settled:
            self._take_best()
        else:
            self._take_any()
        return is_settled

    cdef bint _propagate(self) except -1 nogil:
        """Propagate the different counts along the paths that attain lambda.

        Returns whether it was done within the allowed steps.
        """
        cdef int64_t number, before, after
        cdef int32_t state = -1, cell
        cdef Arc arc
        self._start()
        for number in range(<int64_t> self.states.arcs.size()):
            arc = self.states.arcs[number]
            before = self.states.states[arc.start].offset
            after = self.states.states[arc.end].offset
            if arc.start != state:
                state = arc.start
                self._labels.clear()
                for cell in range(self.states.states[state].size):
                    self._prune_dominated(before + cell)
                if self._exceeds_limits():
                    return False
            for cell in range(self.states.states[arc.end].size):
                if self.best.completion[after + cell] == MINUS_INFINITY:
                    continue
                self._extend(
                    <int32_t> number,
                    before + self.states.origins[arc.offset + cell],
                    after + cell,
                    self.states.deltas[arc.offset + cell],
                )
                if self._exceeds_limits():
                    return False
        self._labels.clear()
        self._prune_dominated(self.states.end_cell())
        return not self.problem.is_over()

    cdef bint _exceeds_limits(self) noexcept nogil:
        """Whether to give up: more steps or memory than allowed."""
        return (
            self.problem.is_over()
            or <int64_t> self._backpointers.size() > MOST_BACKPOINTERS
            or <int64_t> self._pending.size() > MOST_PENDING
        )

    cdef int _start(self) except -1 nogil:
        """Add the labels before any reference token."""
        cdef int64_t size = self.states.profile_cell.size(), delta
        cdef int32_t cell, number
        cdef Profile profile
        cdef Label label
        self._pending.clear()
        self._unused = -1
        self._backpointers.clear()
        self._pending_first.assign(size, -1)
        self._labels_first.assign(size, 0)
        self._labels_last.assign(size, 0)
        label.profile = self.baseline.start()
        label.good = label.wrong = 0
        label.tn = 0
        label.trace = label.arc = -1
        profile = self.baseline.profiles[label.profile]
        for cell in range(self.states.states[0].size):
            delta = self.states.first_deltas[cell]
            if self.best.completion[cell] == MINUS_INFINITY:
                continue
            if self.best.completion[cell] + value_of(&self.best.objective, delta) < 0:
                continue
            label.counts = delta
            for number in range(profile.size):
                label.row = number
                label.fn = self.baseline.rows[profile.offset + number]
                self._add(cell, label)
        return 0

    cdef int _add(self, int64_t at, Label label) except -1 nogil:
        """Add a label to a cell, in memory from the free list."""
        cdef int32_t number = self._unused
        label.next = self._pending_first[at]
        if number < 0:
            number = <int32_t> self._pending.size()
            self._pending.push_back(label)
        else:
            self._unused = self._pending[number].next
            self._pending[number] = label
        self._pending_first[at] = number
        return self.problem.count(4)

    cdef int _extend(self, int32_t arc, int64_t start, int64_t end, int64_t delta) except -1 nogil:
        """Extend all labels at one cell of an arc over it."""
        cdef int64_t first = self._labels_first[start], last, number
        cdef int64_t added = value_of(&self.best.objective, delta) + self.best.completion[end]
        cdef int32_t row, profile
        cdef ProfileArc step
        cdef RowBackpointer move
        cdef Label label
        while first < self._labels_last[start]:
            profile = self._labels[first].profile
            last = first
            while last < self._labels_last[start] and self._labels[last].profile == profile:
                last += 1
            step = self.baseline.steps[self.baseline.step(profile, self.states.arcs[arc].edge)]
            for row in range(self.baseline.profiles[step.profile].size):
                move = self.baseline.moves[step.offset + row]
                for number in range(self._first_at(first, last, move.origin), last):
                    label = self._labels[number]
                    if label.row != move.origin or self._exceeds_limits():
                        break
                    if value_of(&self.best.objective, label.counts) + added < 0:
                        self.problem.count(1)
                        continue
                    label.counts += delta
                    label.profile = step.profile
                    label.row = row
                    label.tn += move.tn
                    label.fn += move.fn
                    label.arc = arc
                    self._add(end, label)
            first = last
        return 0

    cdef int64_t _first_at(self, int64_t first, int64_t last, int32_t row) noexcept nogil:
        """Find the first label at a row, among labels of one profile sorted by row."""
        cdef int64_t middle
        while first < last:
            middle = (first + last) // 2
            if self._labels[middle].row < row:
                first = middle + 1
            else:
                last = middle
        return first

    cdef int _collect(self, int64_t at) except -1 nogil:
        """Collect and sort the labels of a cell, with the terms of their WAcc."""
        cdef int32_t number = self._pending_first[at], last = -1
        cdef Label label
        cdef Fraction wacc
        self._collected.clear()
        while number >= 0:
            label = self._pending[number]
            last = number
            number = label.next
            if self.problem.criterion.metric == BY_WACC:
                # All have the same in the end; it is above 0 if wrong columns count.
                label.good = self.best.objective.fp < 0
                label.wrong = 0
            else:
                wacc = ratio(
                    &self.problem.criterion,
                    BY_WACC,
                    side_of(&self.problem.criterion, unpacked(label.counts)),
                )
                label.good = wacc.numerator
                label.wrong = wacc.denominator - wacc.numerator
            self._collected.push_back(label)
        if last >= 0:
            self._pending[last].next = self._unused
            self._unused = self._pending_first[at]
        sort(self._collected.begin(), self._collected.end(), &is_before)
        return 0

    cdef int _prune_dominated(self, int64_t at) except -1 nogil:
        """Remove duplicate and dominated labels of a cell."""
        cdef int64_t position, other, group = self._labels.size()
        cdef Label label
        cdef LabelBackpointer trace
        cdef bint is_dominated
        self._collect(at)
        self._labels_first[at] = group
        for position in range(<int64_t> self._collected.size()):
            label = self._collected[position]
            if position and (
                self._collected[position - 1].profile != label.profile
                or self._collected[position - 1].row != label.row
            ):
                group = self._labels.size()
            is_dominated = False
            for other in range(group, <int64_t> self._labels.size()):
                if self._is_dominated(&label, &self._labels[other]):
                    is_dominated = True
                    break
            self.problem.count(1 + <int64_t> self._labels.size() - group)
            if self.problem.is_over():
                break
            if not is_dominated:
                trace.before = label.trace
                trace.arc = label.arc
                label.trace = <int32_t> self._backpointers.size()
                self._backpointers.push_back(trace)
                self._labels.push_back(label)
        self._labels_last[at] = self._labels.size()
        return 0

    cdef bint _is_dominated(self, const Label* label, const Label* other) noexcept nogil:
        """Whether a label cannot end better than another, whatever follows both.

        Both reach the same ratio in the end; what is compared next is I. It rises with WAcc
        and falls with the WAcc of the source itself.
        """
        cdef int32_t metric = self.problem.criterion.metric
        cdef ColumnCounts a, b
        cdef bint is_lower
        if other.tn > label.tn or other.fn < label.fn:
            return False
        if other.good < label.good or other.wrong > label.wrong:
            return False
        if label.counts == other.counts and label.tn == other.tn and label.fn == other.fn:
            return True
        is_lower = other.tn < label.tn or (other.fn > label.fn and other.tn > 0)
        if other.good > label.good:
            return True
        if other.good and (other.wrong < label.wrong or is_lower):
            return True
        if metric == BY_WACC:
            return False
        a = unpacked(label.counts)
        b = unpacked(other.counts)
        # Equally good so far: nothing that is compared after I may be worse.
        if b.fpn != a.fpn or b.tp < a.tp or b.tn < a.tn:
            return False
        if metric == BY_FP or metric == BY_FN:
            return b.fp == a.fp and b.fn == a.fn
        return b.fp <= a.fp and b.fn <= a.fn

    cdef int _take_best(self) except -1 nogil:
        """Take the best of the labels at the end."""
        cdef int64_t number, end = self.states.end_cell()
        cdef Label label, best = self._labels[self._labels_first[end]]
        cdef RankingKey here, highest = lowest_key()
        cdef int32_t trace
        for number in range(self._labels_first[end], self._labels_last[end]):
            label = self._labels[number]
            here = self.problem.total_key(unpacked(label.counts), unchanged(label.tn, label.fn))
            if ranks_higher(&here, &highest):
                best = label
                highest = here
        self.counts = unpacked(best.counts)
        self.base = unchanged(best.tn, best.fn)
        trace = best.trace
        while self._backpointers[trace].arc >= 0:
            self._path.push_back(self.states.arcs[self._backpointers[trace].arc].edge)
            trace = self._backpointers[trace].before
        reverse(self._path.begin(), self._path.end())
        return self._spell()

    cdef int _take_any(self) except -1 nogil:
        """Take some path with the best ratio, whatever its ties."""
        self.counts = unpacked(self.best.counts)
        self.best.any_path(self._path)
        self._spell()
        return self.baseline.count(self.reference, &self.base)

    cdef int _spell(self) except -1 nogil:
        """Read the reference off its path."""
        cdef int64_t place
        cdef int32_t token
        self.reference.clear()
        for place in range(<int64_t> self._path.size()):
            token = self.states.lattice.edges[self._path[place]].token
            if token != NO_TOKEN:
                self.reference.push_back(token)
        return 0

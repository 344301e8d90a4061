# distutils: language = c++
"""The choice among the references that reach the best ratio.

Along the paths that attain it, the different counts are carried, together with those of the
source aligned with the same reference. Where that takes too many steps, any of them is chosen.
"""

from libc.stdint cimport int32_t, int64_t
from libcpp.algorithm cimport reverse, sort

cimport cython

from geceval.kernels.imeasure.baseline cimport Baseline, Move, Profile, Step
from geceval.kernels.imeasure.costs cimport NO_TOKEN
from geceval.kernels.imeasure.counts cimport (
    BY_FN,
    BY_FP,
    BY_WACC,
    Counts,
    Ratio,
    Standing,
    lowest_standing,
    ratio,
    side_of,
    stands_higher,
    unchanged,
    unpacked,
    worth,
)
from geceval.kernels.imeasure.ratio cimport BestRatio
from geceval.kernels.imeasure.states cimport LOWEST, Arc
from geceval.kernels.imeasure.task cimport Task

cdef enum:
    # Ways that are remembered, 8 bytes each.
    MOST_TRACES = 20_000_000
    # Ways to cells ahead, 56 bytes each.
    MOST_PENDING = 8_000_000


cdef bint is_before(const Item& a, const Item& b) noexcept nogil:
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
cdef class Ties:
    """The choice for one sentence after the other; keeps its memory."""

    def __init__(self, Task task, BestRatio best, Baseline baseline):
        self.task = task
        self.states = best.states
        self.best = best
        self.baseline = baseline

    cdef bint choose(self) except -1 nogil:
        """Choose a reference; return whether ties were settled within the allowed steps."""
        cdef bint is_settled = self._carry()
        self._path.clear()
        if is_settled:
            self._take_best()
        else:
            self._take_any()
        return is_settled

    cdef bint _carry(self) except -1 nogil:
        """Carry the different counts along the paths that are worth the price.

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
                self._items.clear()
                for cell in range(self.states.states[state].size):
                    self._settle(before + cell)
                if self._is_too_much():
                    return False
            for cell in range(self.states.states[arc.end].size):
                if self.best.rest[after + cell] == LOWEST:
                    continue
                self._extend(
                    <int32_t> number,
                    before + self.states.origins[arc.offset + cell],
                    after + cell,
                    self.states.deltas[arc.offset + cell],
                )
                if self._is_too_much():
                    return False
        self._items.clear()
        self._settle(self.states.end_cell())
        return not self.task.is_over()

    cdef bint _is_too_much(self) noexcept nogil:
        """Whether to give up: more steps or memory than allowed."""
        return (
            self.task.is_over()
            or <int64_t> self._traces.size() > MOST_TRACES
            or <int64_t> self._pending.size() > MOST_PENDING
        )

    cdef int _start(self) except -1 nogil:
        """Put the ways before any reference token on the lists."""
        cdef int64_t size = self.states.profile_cell.size(), delta
        cdef int32_t cell, number
        cdef Profile profile
        cdef Item item
        self._pending.clear()
        self._unused = -1
        self._traces.clear()
        self._pending_first.assign(size, -1)
        self._items_first.assign(size, 0)
        self._items_last.assign(size, 0)
        item.profile = self.baseline.start()
        item.good = item.wrong = 0
        item.tn = 0
        item.trace = item.arc = -1
        profile = self.baseline.profiles[item.profile]
        for cell in range(self.states.states[0].size):
            delta = self.states.first_deltas[cell]
            if self.best.rest[cell] == LOWEST:
                continue
            if self.best.rest[cell] + worth(&self.best.price, delta) < 0:
                continue
            item.counts = delta
            for number in range(profile.size):
                item.row = number
                item.fn = self.baseline.rows[profile.offset + number]
                self._add(cell, item)
        return 0

    cdef int _add(self, int64_t at, Item item) except -1 nogil:
        """Put a way on the list of a cell, in memory that another one no longer needs."""
        cdef int32_t number = self._unused
        item.next = self._pending_first[at]
        if number < 0:
            number = <int32_t> self._pending.size()
            self._pending.push_back(item)
        else:
            self._unused = self._pending[number].next
            self._pending[number] = item
        self._pending_first[at] = number
        return self.task.count(4)

    cdef int _extend(self, int32_t arc, int64_t start, int64_t end, int64_t delta) except -1 nogil:
        """Append an arc to all ways that reach one of its cells."""
        cdef int64_t first = self._items_first[start], last, number
        cdef int64_t added = worth(&self.best.price, delta) + self.best.rest[end]
        cdef int32_t row, profile
        cdef Step step
        cdef Move move
        cdef Item item
        while first < self._items_last[start]:
            profile = self._items[first].profile
            last = first
            while last < self._items_last[start] and self._items[last].profile == profile:
                last += 1
            step = self.baseline.steps[self.baseline.step(profile, self.states.arcs[arc].edge)]
            for row in range(self.baseline.profiles[step.profile].size):
                move = self.baseline.moves[step.offset + row]
                for number in range(self._first_at(first, last, move.origin), last):
                    item = self._items[number]
                    if item.row != move.origin or self._is_too_much():
                        break
                    if worth(&self.best.price, item.counts) + added < 0:
                        self.task.count(1)
                        continue
                    item.counts += delta
                    item.profile = step.profile
                    item.row = row
                    item.tn += move.tn
                    item.fn += move.fn
                    item.arc = arc
                    self._add(end, item)
            first = last
        return 0

    cdef int64_t _first_at(self, int64_t first, int64_t last, int32_t row) noexcept nogil:
        """The first of some ways with one profile, which are sorted by row, that is at a row."""
        cdef int64_t middle
        while first < last:
            middle = (first + last) // 2
            if self._items[middle].row < row:
                first = middle + 1
            else:
                last = middle
        return first

    # The ways to one cell.

    cdef int _gather(self, int64_t at) except -1 nogil:
        """Take the ways off the list of a cell, with what their WAcc is made of, and sort them."""
        cdef int32_t number = self._pending_first[at], last = -1
        cdef Item item
        cdef Ratio wacc
        self._gathered.clear()
        while number >= 0:
            item = self._pending[number]
            last = number
            number = item.next
            if self.task.rule.metric == BY_WACC:
                # All have the same in the end; it is above 0 if wrong columns have a price.
                item.good = self.best.price.fp < 0
                item.wrong = 0
            else:
                wacc = ratio(
                    &self.task.rule,
                    BY_WACC,
                    side_of(&self.task.rule, unpacked(item.counts)),
                )
                item.good = wacc.above
                item.wrong = wacc.below - wacc.above
            self._gathered.push_back(item)
        if last >= 0:
            self._pending[last].next = self._unused
            self._unused = self._pending_first[at]
        sort(self._gathered.begin(), self._gathered.end(), &is_before)
        return 0

    cdef int _settle(self, int64_t at) except -1 nogil:
        """Leave out equal ways to a cell and those that are always worse."""
        cdef int64_t position, other, group = self._items.size()
        cdef Item item
        cdef Trace trace
        cdef bint is_worse
        self._gather(at)
        self._items_first[at] = group
        for position in range(<int64_t> self._gathered.size()):
            item = self._gathered[position]
            if position and (
                self._gathered[position - 1].profile != item.profile
                or self._gathered[position - 1].row != item.row
            ):
                group = self._items.size()
            is_worse = False
            for other in range(group, <int64_t> self._items.size()):
                if self._is_worse(&item, &self._items[other]):
                    is_worse = True
                    break
            self.task.count(1 + <int64_t> self._items.size() - group)
            if self.task.is_over():
                break
            if not is_worse:
                trace.before = item.trace
                trace.arc = item.arc
                item.trace = <int32_t> self._traces.size()
                self._traces.push_back(trace)
                self._items.push_back(item)
        self._items_last[at] = self._items.size()
        return 0

    cdef bint _is_worse(self, const Item* item, const Item* other) noexcept nogil:
        """Whether a way cannot end better than another, whatever follows both.

        Both reach the same ratio in the end; what is compared next is I. It rises with WAcc
        and falls with the WAcc of the source itself.
        """
        cdef int32_t metric = self.task.rule.metric
        cdef Counts a, b
        cdef bint is_lower
        if other.tn > item.tn or other.fn < item.fn:
            return False
        if other.good < item.good or other.wrong > item.wrong:
            return False
        if item.counts == other.counts and item.tn == other.tn and item.fn == other.fn:
            return True
        is_lower = other.tn < item.tn or (other.fn > item.fn and other.tn > 0)
        if other.good > item.good:
            return True
        if other.good and (other.wrong < item.wrong or is_lower):
            return True
        if metric == BY_WACC:
            return False
        a = unpacked(item.counts)
        b = unpacked(other.counts)
        # Equally good so far: nothing that is compared after I may be worse.
        if b.fpn != a.fpn or b.tp < a.tp or b.tn < a.tn:
            return False
        if metric == BY_FP or metric == BY_FN:
            return b.fp == a.fp and b.fn == a.fn
        return b.fp <= a.fp and b.fn <= a.fn

    # The reference.

    cdef int _take_best(self) except -1 nogil:
        """Take the best of the ways that reached the end."""
        cdef int64_t number, end = self.states.end_cell()
        cdef Item item, best = self._items[self._items_first[end]]
        cdef Standing here, highest = lowest_standing()
        cdef int32_t trace
        for number in range(self._items_first[end], self._items_last[end]):
            item = self._items[number]
            here = self.task.total_standing(
                unpacked(item.counts), unchanged(item.tn, item.fn)
            )
            if stands_higher(&here, &highest):
                best = item
                highest = here
        self.counts = unpacked(best.counts)
        self.base = unchanged(best.tn, best.fn)
        trace = best.trace
        while self._traces[trace].arc >= 0:
            self._path.push_back(self.states.arcs[self._traces[trace].arc].edge)
            trace = self._traces[trace].before
        reverse(self._path.begin(), self._path.end())
        return self._spell()

    cdef int _take_any(self) except -1 nogil:
        """Take some path with the best ratio, without asking for ties."""
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

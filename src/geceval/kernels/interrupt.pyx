"""Stopping kernels: they release the interpreter, so nobody else can interrupt them.

In the main thread a kernel lets Python handle signals several times a second, so that Ctrl-C
raises `KeyboardInterrupt` in it. Other threads never see signals: there a kernel looks at the flag
of the `Stop` under which it was called, which whoever waits for the thread can raise.
"""

from cpython.exc cimport PyErr_CheckSignals
from libc.stdint cimport int64_t

cdef extern from *:
    """
    #include <stdint.h>
    #include <time.h>

    /* Of each thread: whom it stops for, the steps before it looks again, and when it last let
       Python handle signals. */
    static __thread const volatile int *geceval_flag = NULL;
    static __thread int64_t geceval_left = 0;
    static __thread int64_t geceval_looked = 0;

    static int64_t geceval_milliseconds(void) {
        struct timespec now;
        clock_gettime(CLOCK_MONOTONIC, &now);
        return (int64_t) now.tv_sec * 1000 + now.tv_nsec / 1000000;
    }
    """
    const volatile int* current_flag "geceval_flag"
    int64_t steps_left "geceval_left"
    int64_t last_look "geceval_looked"
    int64_t milliseconds "geceval_milliseconds"() noexcept nogil

cdef enum:
    # Some tenths of a millisecond.
    STEPS = 1 << 17
    # Milliseconds between two looks for signals.
    PATIENCE = 100


class Stopped(BaseException):
    """A kernel was asked to stop, and has no result."""


# What a signal handler raised, until the kernel has cleared up; handlers run in the main thread
# only.
cdef object raised = None


cdef bint should_stop(int64_t steps) noexcept nogil:
    """Count steps; return whether to stop."""
    global steps_left, last_look
    cdef int64_t now
    steps_left -= steps
    if steps_left > 0:
        return False
    steps_left = STEPS
    if current_flag != NULL:
        return current_flag[0] != 0
    now = milliseconds()
    if now - last_look < PATIENCE:
        return False
    last_look = now
    return signal_arrived()


cdef bint signal_arrived() noexcept with gil:
    """Let Python handle signals; return whether a handler raised something."""
    global raised
    try:
        PyErr_CheckSignals()
    except BaseException as error:
        raised = error
        return True
    return False


cdef int raise_stopped() except -1:
    """Raise what stopped the kernel."""
    global raised
    if current_flag != NULL and current_flag[0]:
        raise Stopped
    error, raised = raised, None
    raise Stopped if error is None else error


cdef int check_stop(int64_t steps) except -1 nogil:
    """Count steps; raise if it is time to stop."""
    if should_stop(steps):
        with gil:
            raise_stopped()
    return 0


cdef class Stop:
    """A request to stop that another thread can make.

    Examples
    --------
    >>> stop = Stop()
    >>> stop.run(dict)
    {}
    >>> stop.request()
    >>> stop.is_requested
    True
    """

    cdef volatile int flag

    @property
    def is_requested(self):
        """Whether it is time to stop."""
        return self.flag != 0

    def request(self):
        """Let all kernels that run under it stop soon."""
        self.flag = 1

    def run(self, function):
        """Call a function; its kernels raise `Stopped` soon after a request."""
        global current_flag, steps_left
        cdef const volatile int* before = current_flag
        current_flag = &self.flag
        steps_left = 0
        try:
            return function()
        finally:
            current_flag = before

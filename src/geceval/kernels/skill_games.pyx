"""Games of TrueSkill between two players (Herbrich, Minka and Graepel, 2006).

With c^2 = 2 beta^2 + var_i + var_j, t = (mean of the winner - mean of the loser) / c and the margin
e = margin / c, a game changes

    mean_i += var_i / c v      var_i *= 1 - var_i / c^2 w      (the loser's mean: -= var_j / c v)

    win:   v = phi(t - e) / Phi(t - e)                         w = v (v + t - e)
    draw:  v = (phi(-e - t) - phi(e - t)) / D                  D = Phi(e - t) - Phi(-e - t)
           w = v^2 + ((e - t) phi(e - t) + (e + t) phi(e + t)) / D
"""

from libc.math cimport M_SQRT1_2, erfc, exp, sqrt
from libc.stdint cimport int8_t, int64_t

from geceval.kernels.interrupt cimport check_stop

import numpy as np

cdef double DENSITY_AT_ZERO = 0.3989422804014327
cdef double TINY = 1e-300
cdef int64_t GAMES_PER_CHECK = 1024
cdef int64_t STEPS_PER_GAME = 50


cdef inline double density(double x) noexcept nogil:
    return DENSITY_AT_ZERO * exp(-0.5 * x * x)


cdef inline double probability_below(double x) noexcept nogil:
    return 0.5 * erfc(-x * M_SQRT1_2)


cdef inline void update(
    double* mean_i,
    double* variance_i,
    double* mean_j,
    double* variance_j,
    bint is_draw,
    double noise,
    double margin,
) noexcept nogil:
    """Update two players after a win of the first or a draw; `noise` is 2 beta^2."""
    cdef double total = noise + variance_i[0] + variance_j[0]
    cdef double scale = sqrt(total)
    cdef double ahead = (mean_i[0] - mean_j[0]) / scale
    cdef double edge = margin / scale
    cdef double v, w, mass, low, high, low_density, high_density
    if is_draw:
        low, high = -edge - ahead, edge - ahead
        mass = probability_below(high) - probability_below(low)
        if mass < TINY:
            # So surprising that the difference is moved to the nearer margin.
            v = low if ahead < 0 else high
            w = 1
        else:
            low_density, high_density = density(low), density(high)
            v = (low_density - high_density) / mass
            w = v * v + (high * high_density - low * low_density) / mass
    else:
        ahead -= edge
        mass = probability_below(ahead)
        v = density(ahead) / mass if mass >= TINY else -ahead
        w = v * (v + ahead)
    mean_i[0] += variance_i[0] / scale * v
    mean_j[0] -= variance_j[0] / scale * v
    variance_i[0] *= 1 - variance_i[0] / total * w
    variance_j[0] *= 1 - variance_j[0] / total * w


def play(
    double[::1] means,
    double[::1] variances,
    const int64_t[:, ::1] wins,
    const int64_t[:, ::1] ties,
    const double[:, ::1] chances,
    double beta,
    double margin,
):
    """Play games of published rankings, updating `means` and `variances`.

    The player is that with the largest variance, the last of equals; the opponent is chosen with
    a probability proportional to exp(-|difference of means|) among those that it was compared
    with; the game is one of their judgments.

    Parameters
    ----------
    means, variances
        State of the players before and after the games.
    wins, ties
        ``wins[a, b]`` counts judgments that prefer a to b; ties are symmetric.
    chances
        ``(n_games, 2)`` numbers from 0 to below 1: the choices of opponent and judgment.
    beta, margin
        Noise of a game, and the difference of performances below which it is a draw.
    """
    cdef int64_t n = means.shape[0], game, other, player, opponent
    cdef const int64_t[:, ::1] totals
    cdef double[::1] weights = np.zeros(n)
    # exp(mean) and exp(-mean): exp(-|difference|) is the smaller one of two products.
    cdef double[:, ::1] powers = np.exp(np.stack((np.asarray(means), -np.asarray(means))))
    cdef double noise = 2 * beta * beta, sum_of_weights, rest, weight, judgment
    if variances.shape[0] != n or wins.shape[0] != n or wins.shape[1] != n:
        raise ValueError("players and outcomes differ in number")
    if ties.shape[0] != n or ties.shape[1] != n or chances.shape[1] != 2:
        raise ValueError("players and outcomes differ in number")
    totals = np.asarray(wins) + np.asarray(wins).T + np.asarray(ties)
    if (np.asarray(totals) - np.diag(np.diag(totals))).sum(axis=1).min() <= 0:
        raise ValueError("each player needs a judgment")
    with nogil:
        for game in range(chances.shape[0]):
            if game % GAMES_PER_CHECK == 0:
                check_stop(STEPS_PER_GAME * GAMES_PER_CHECK)
            player = 0
            for other in range(1, n):
                if variances[other] >= variances[player]:
                    player = other
            sum_of_weights = 0
            for other in range(n):
                weight = powers[0, player] * powers[1, other]
                if weight > 1:
                    weight = powers[0, other] * powers[1, player]
                if other == player or totals[player, other] == 0:
                    weight = 0
                weights[other] = weight
                sum_of_weights += weight
            rest = chances[game, 0] * sum_of_weights
            opponent = -1
            for other in range(n):
                if weights[other] > 0:
                    opponent = other
                    rest -= weights[other]
                    if rest < 0:
                        break
            judgment = chances[game, 1] * totals[player, opponent]
            if judgment < wins[player, opponent] + ties[player, opponent]:
                update(
                    &means[player], &variances[player], &means[opponent], &variances[opponent],
                    judgment >= wins[player, opponent], noise, margin,
                )
            else:
                update(
                    &means[opponent], &variances[opponent], &means[player], &variances[player],
                    False, noise, margin,
                )
            powers[0, player] = exp(means[player])
            powers[1, player] = 1 / powers[0, player]
            powers[0, opponent] = exp(means[opponent])
            powers[1, opponent] = 1 / powers[0, opponent]


def rate_in_order(
    const int8_t[:, ::1] outcomes,
    const int64_t[:, ::1] rows,
    int64_t n_players,
    double variance,
    double beta,
    double margin,
):
    """Rate one game for each pair of players in each sentence, in order, for many resamples.

    Parameters
    ----------
    outcomes
        ``(n_sents, n_pairs)``, pairs in lexicographic order: 1 if the first player is better, -1
        if the second is, 0 for a draw, 2 if there is no game.
    rows
        ``(n_resamples, n_rows)``: sentences in the order of each resample.
    n_players, variance
        Number of players and the variance that each starts with; means start at 0.
    beta, margin
        Noise of a game, and the difference of performances below which it is a draw.

    Returns
    -------
    means
        ``(n_resamples, n_players)``.
    """
    cdef int64_t resample, number, row, first, second, pair
    cdef int8_t outcome
    cdef double noise = 2 * beta * beta
    means_array = np.zeros((rows.shape[0], n_players))
    variances_array = np.full((rows.shape[0], n_players), variance)
    cdef double[:, ::1] means = means_array, variances = variances_array
    if outcomes.shape[1] != n_players * (n_players - 1) // 2:
        raise ValueError("there must be an outcome for each pair of players")
    if rows.size and (np.min(rows) < 0 or np.max(rows) >= outcomes.shape[0]):
        raise IndexError("rows must be sentences")
    with nogil:
        for resample in range(rows.shape[0]):
            for number in range(rows.shape[1]):
                check_stop(STEPS_PER_GAME * outcomes.shape[1])
                row = rows[resample, number]
                pair = 0
                for first in range(n_players):
                    for second in range(first + 1, n_players):
                        outcome = outcomes[row, pair]
                        pair += 1
                        if outcome == 2:
                            continue
                        if outcome < 0:
                            update(
                                &means[resample, second], &variances[resample, second],
                                &means[resample, first], &variances[resample, first],
                                False, noise, margin,
                            )
                        else:
                            update(
                                &means[resample, first], &variances[resample, first],
                                &means[resample, second], &variances[resample, second],
                                outcome == 0, noise, margin,
                            )
    return means_array

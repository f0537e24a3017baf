/**
 * Results of rounds: tables, files with all figures, and plots.
 */
@NullMarked
package io.leasehold.benchmark.report;

import org.jspecify.annotations.NullMarked;

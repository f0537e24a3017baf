/**
 * What rounds come to: tables, files of all figures, and plots.
 */
@NullMarked
package io.leasehold.benchmark.report;

import org.jspecify.annotations.NullMarked;

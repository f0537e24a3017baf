/**
 * What is measured, each library as its manual shows it.
 */
@NullMarked
package io.leasehold.benchmark.contender;

import org.jspecify.annotations.NullMarked;

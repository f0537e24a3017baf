/**
 * What happens inside one JVM: a gate for each key in use, waiting, re-entry, local
 * handoff, renewal.
 */
@NullMarked
package io.leasehold.service;

import org.jspecify.annotations.NullMarked;

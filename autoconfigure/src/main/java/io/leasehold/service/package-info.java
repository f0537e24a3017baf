/**
 * Service of locks inside one JVM: a gate per key in use, waiting, re-entry, local
 * handoff and renewal.
 */
@NullMarked
package io.leasehold.service;

import org.jspecify.annotations.NullMarked;

/**
 * What happened to locks, and who listens.
 */
@NullMarked
package io.leasehold.event;

import org.jspecify.annotations.NullMarked;

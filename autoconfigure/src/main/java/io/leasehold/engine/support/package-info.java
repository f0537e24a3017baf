/**
 * Parts that engines share. Optional for an engine outside of Leasehold.
 */
@NullMarked
package io.leasehold.engine.support;

import org.jspecify.annotations.NullMarked;

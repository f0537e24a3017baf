/**
 * A lock engine on a store that is no use but to show what an engine has to do.
 */
@NullMarked
package io.leasehold.sample.toy;

import org.jspecify.annotations.NullMarked;

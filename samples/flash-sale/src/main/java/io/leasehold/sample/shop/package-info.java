/**
 * What the shop does, each method locked as one would in a real one.
 */
@NullMarked
package io.leasehold.sample.shop;

import org.jspecify.annotations.NullMarked;

/**
 * The services of the shop, with the locks that a real shop needs.
 */
@NullMarked
package io.leasehold.sample.shop;

import org.jspecify.annotations.NullMarked;

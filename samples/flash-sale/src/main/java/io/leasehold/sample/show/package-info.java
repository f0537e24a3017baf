/**
 * What makes it a show: buyers, the page, who holds and who waits.
 */
@NullMarked
package io.leasehold.sample.show;

import org.jspecify.annotations.NullMarked;

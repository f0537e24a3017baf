/**
 * Recipes of OpenRewrite that replace annotations of other libraries.
 */
@NullMarked
package io.leasehold.rewrite;

import org.jspecify.annotations.NullMarked;

/**
 * Leadership: of the instances of an application, one at a time leads in a role.
 */
@NullMarked
package io.leasehold.leadership;

import org.jspecify.annotations.NullMarked;

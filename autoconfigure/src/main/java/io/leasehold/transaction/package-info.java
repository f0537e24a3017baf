/**
 * Locks in transactions: releases after completion, checks before the commit, fencing.
 */
@NullMarked
package io.leasehold.transaction;

import org.jspecify.annotations.NullMarked;

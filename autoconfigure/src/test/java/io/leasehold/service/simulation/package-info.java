/**
 * A simulator of several processes, their store and the network between them, in one
 * thread and virtual time. A seed decides what happens next.
 */
package io.leasehold.service.simulation;

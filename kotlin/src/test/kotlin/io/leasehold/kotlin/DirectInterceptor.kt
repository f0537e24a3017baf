package io.leasehold.kotlin

import kotlin.coroutines.AbstractCoroutineContextElement
import kotlin.coroutines.Continuation
import kotlin.coroutines.ContinuationInterceptor

/**
 * Interceptor that is no dispatcher, as applications use them to wrap continuations.
 */
internal class DirectInterceptor : AbstractCoroutineContextElement(ContinuationInterceptor), ContinuationInterceptor {

	override fun <T> interceptContinuation(continuation: Continuation<T>) = continuation

}

package io.leasehold.docs;

/**
 * The service that the examples of tests call.
 */
public interface OrderService {

	void pay(long id);

	void onSave(Runnable action);

}

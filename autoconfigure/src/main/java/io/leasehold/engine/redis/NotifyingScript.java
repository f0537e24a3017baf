package io.leasehold.engine.redis;

import io.leasehold.engine.redis.connection.Script;

/**
 * Script that may grant a lock to waiting claims and notifies them, in two forms. If the
 * client has to publish messages, the script returns a list of its response and a list of
 * these grants, each as {@code number:claim}. Otherwise it returns the response alone.
 *
 * @param <T> type of the response
 * @param publishing form that publishes messages, unless the server rejects them
 * @param returning form without {@code PUBLISH}, which leaves all messages to the client
 */
record NotifyingScript<T>(Script<Object> publishing, Script<Object> returning) {

	/** File with the function that notifies a claim. */
	static final String NOTIFY = "notify.lua";

	/** Replaces {@link #NOTIFY} in scripts without {@code PUBLISH}. */
	static final String NOTIFY_BY_CLIENT = "notify-by-client.lua";

	/**
	 * Load a script.
	 * @param files names of its Lua files; one of them is {@link #NOTIFY}, which the
	 * second form replaces
	 */
	static <T> NotifyingScript<T> load(String... files) {
		String[] others = files.clone();
		for (int i = 0; i < others.length; i++) {
			if (others[i].equals(NOTIFY)) {
				others[i] = NOTIFY_BY_CLIENT;
			}
		}
		return new NotifyingScript<>(Script.load(NotifyingScript.class, files),
				Script.load(NotifyingScript.class, others));
	}

}

package io.leasehold.sample.shop;

import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.web.server.context.WebServerInitializedEvent;
import org.springframework.context.event.EventListener;
import org.springframework.stereotype.Component;

/**
 * This instance of the shop, known by its port.
 */
@Component
public class Instance {

	private volatile String port;

	public Instance(@Value("${server.port:8080}") String port) {
		this.port = port;
	}

	@EventListener
	void started(WebServerInitializedEvent event) {
		this.port = Integer.toString(event.getWebServer().getPort());
	}

	public String name() {
		return "shop-" + this.port;
	}

	public long process() {
		return ProcessHandle.current().pid();
	}

}

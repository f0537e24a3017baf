package io.leasehold.sample;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.scheduling.annotation.EnableScheduling;

/**
 * A shop whose services are guarded by locks, and a page that shows them at work. Start
 * it on two ports to see two instances compete.
 */
@SpringBootApplication
@EnableScheduling
public class FlashSaleApplication {

	public static void main(String[] args) {
		SpringApplication.run(FlashSaleApplication.class, args);
	}

}

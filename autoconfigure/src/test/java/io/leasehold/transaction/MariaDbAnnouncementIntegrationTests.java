package io.leasehold.transaction;

import javax.sql.DataSource;

import io.leasehold.server.MariaDbTestServer;

import org.springframework.jdbc.datasource.DriverManagerDataSource;

class MariaDbAnnouncementIntegrationTests extends AnnouncementContract {

	@Override
	DataSource dataSource() {
		return new DriverManagerDataSource(MariaDbTestServer.shared().url() + "&useAffectedRows=true");
	}

	@Override
	String platform() {
		return "mariadb";
	}

}

package io.leasehold.benchmark.advice;

import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;

import org.springframework.expression.Expression;
import org.springframework.expression.spel.standard.SpelExpressionParser;
import org.springframework.expression.spel.support.StandardEvaluationContext;

/**
 * The keys' expressions in nothing but SpEL: parsed once, each call with a context of its
 * own and what is known of classes shared by all.
 */
@State(Scope.Thread)
public class SpelEngine {

	private final StandardEvaluationContext shared = new StandardEvaluationContext();

	private final Expression id = parse(OrderService.ID);

	private final Expression property = parse(OrderService.PROPERTY);

	private final Expression methodCall = parse(OrderService.METHOD_CALL);

	private static Expression parse(String text) {
		return new SpelExpressionParser().parseExpression(text);
	}

	Object id(Object id) {
		return evaluate(this.id, "id", id);
	}

	Object property(Order order) {
		return evaluate(this.property, "order", order);
	}

	Object methodCall(Order order) {
		return evaluate(this.methodCall, "order", order);
	}

	private Object evaluate(Expression expression, String name, Object value) {
		StandardEvaluationContext context = new StandardEvaluationContext(this);
		this.shared.applyDelegatesTo(context);
		context.setVariable(name, value);
		return expression.getValue(context);
	}

}

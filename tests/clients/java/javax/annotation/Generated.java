package javax.annotation;

/** What the generator marks its classes with; the JDK dropped it. */
public @interface Generated {
    String[] value();

    String comments() default "";
}

package dev.tallyroll.deploy;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.Base64;

/** A sign-in token as the emulator takes it: right in form, signed by nobody. Stateless. */
final class UnsignedToken {

  /** Some day in 2100, in seconds. */
  private static final long EXPIRES = 4_102_444_800L;

  private UnsignedToken() {}

  static String of(String project, String uid) {
    String claims =
        """
        {"sub":"%2$s","user_id":"%2$s","aud":"%1$s","iss":"https://securetoken.google.com/%1$s",\
        "iat":1,"auth_time":1,"exp":%3$d,"firebase":{"sign_in_provider":"anonymous","identities":{}}}
        """
            .formatted(project, uid, EXPIRES);
    return base64("{\"alg\":\"none\",\"typ\":\"JWT\"}") + "." + base64(claims.strip()) + ".";
  }

  private static String base64(String text) {
    return Base64.getUrlEncoder().withoutPadding().encodeToString(text.getBytes(UTF_8));
  }
}

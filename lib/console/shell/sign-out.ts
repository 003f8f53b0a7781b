// Ends the session of the browser.
import { serviceUrl } from '../api/client.ts';

/** A form, as the service answers with a page. */
export function signOut(): void {
  const form = document.createElement('form');
  form.method = 'post';
  form.action = serviceUrl('/auth/logout');
  document.body.append(form);
  form.submit();
}

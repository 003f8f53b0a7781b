import { receiveNotification } from '#lib/a2a/receive-notification.ts';
import { endpoint } from '#lib/http/endpoint.ts';
import { a2aNotificationRoutes } from '#lib/routes/a2a-notification-routes.ts';

export const handler = endpoint(a2aNotificationRoutes.receiveNotification, receiveNotification);

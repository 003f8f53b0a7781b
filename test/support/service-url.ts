// Where the service under test is: the one that was started for all tests, or one of a file's own.
import { testedService } from './tested-service.ts';

/** Without a slash at the end. */
export const serviceUrl = (): string => process.env.OWN_SERVICE_URL ?? testedService().baseUrl;

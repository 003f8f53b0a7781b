// Sets zod as the bundles have it (`lib/infra/bundle-zod.ts`): without compiled parsers. Import it before any module
// that creates schemas.
import * as z from 'zod';

z.config({ jitless: true });

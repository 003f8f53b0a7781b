// Names and hosts in the declarations of a flow.
import * as z from 'zod';
import { hostPattern, isEgressEntry } from './egress.ts';
import { narrowed } from './notes.ts';

export const declaredName = () =>
  z
    .string()
    .regex(
      /^[a-z][a-z0-9_-]{0,63}$/,
      'expected a name: a lower-case letter, then up to 63 of a-z, 0-9, _ and -',
    );

export const hostEntry = () =>
  narrowed(
    z.string().meta({ pattern: hostPattern }),
    isEgressEntry,
    'expected a host such as "api.example.com", "api.example.com:8443" or "*.example.com"',
    { pattern: hostPattern },
  );

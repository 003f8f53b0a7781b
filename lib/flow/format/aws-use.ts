// The schemas of the services and regions of AWS that a connection is for.
import * as z from 'zod';
import { lazy } from '#lib/lazy.ts';

const awsService = () =>
  z
    .string()
    .regex(
      /^[a-z0-9][a-z0-9-]{0,62}$/,
      'expected a service as signatures name it, such as "bedrock" or "s3"',
    );

const awsRegion = () =>
  z.string().regex(/^[a-z]{2}(-[a-z]+)+-[0-9]$/, 'expected a region such as "eu-central-1"');

export const awsServices = /* @__PURE__ */ lazy(() => z.array(awsService()).min(1).max(20));
export const awsRegions = /* @__PURE__ */ lazy(() => z.array(awsRegion()).min(1).max(20));

// The field with which a node that calls a model streams its text to the caller. Shared by the types that
// call models.
import * as z from 'zod';
import { lazy } from '#lib/lazy.ts';
import { apart } from '../format/notes.ts';

export const streamField = lazy(() => ({ stream: z.boolean().optional() }));

export const streamRule = () =>
  apart(
    ['stream', 'output_schema'],
    { stream: [true] },
    'expected no `stream` beside `output_schema`: an object is of no use before it is whole',
  );

// OTLP in Protocol Buffers, for receivers that take nothing else: writes the messages of otlp.ts, and reads the answers. One
// table has the numbers and types of fields; a field of otlp.ts that is missing here is an error of types.
// https://github.com/open-telemetry/opentelemetry-proto
import { BinaryReader, BinaryWriter, WireType } from '@bufbuild/protobuf/wire';
import type { Json } from '#lib/json/json.ts';
import type { AnyValue, ExportRequest, KeyValue, OtlpSpan, ResourceSpans, ScopeSpans } from './otlp.ts';

/** Ids are bytes, and hexadecimal in JSON. */
type Scalar = 'string' | 'id' | 'int32' | 'int64' | 'fixed64' | 'double' | 'bool';
/** The number of a field, and its type. A list is a repeated field. */
type Field = readonly [number, Scalar | Message];
interface Message {
  readonly [name: string]: Field;
}
type FieldsOf<T> = { readonly [name in keyof T]-?: Field };

const anyValue = {
  stringValue: [1, 'string'],
  boolValue: [2, 'bool'],
  intValue: [3, 'int64'],
  doubleValue: [4, 'double'],
} as const satisfies FieldsOf<AnyValue>;

const keyValue = { key: [1, 'string'], value: [2, anyValue] } as const satisfies FieldsOf<KeyValue>;

const span = {
  traceId: [1, 'id'],
  spanId: [2, 'id'],
  parentSpanId: [4, 'id'],
  name: [5, 'string'],
  kind: [6, 'int32'],
  startTimeUnixNano: [7, 'fixed64'],
  endTimeUnixNano: [8, 'fixed64'],
  attributes: [9, keyValue],
  status: [15, { message: [2, 'string'], code: [3, 'int32'] } satisfies FieldsOf<OtlpSpan['status']>],
} as const satisfies FieldsOf<OtlpSpan>;

const scopeSpans = {
  scope: [1, { name: [1, 'string'], version: [2, 'string'] } satisfies FieldsOf<ScopeSpans['scope']>],
  spans: [2, span],
  schemaUrl: [3, 'string'],
} as const satisfies FieldsOf<ScopeSpans>;

const resourceSpans = {
  resource: [1, { attributes: [1, keyValue] } satisfies FieldsOf<ResourceSpans['resource']>],
  scopeSpans: [2, scopeSpans],
  schemaUrl: [3, 'string'],
} as const satisfies FieldsOf<ResourceSpans>;

const exportRequest = { resourceSpans: [1, resourceSpans] } as const satisfies FieldsOf<ExportRequest>;

const exportResponse: Message = {
  partialSuccess: [1, { rejectedSpans: [1, 'int64'], errorMessage: [2, 'string'] }],
};

/** google.rpc.Status, which OTLP prescribes for errors. */
const errorStatus: Message = { code: [1, 'int32'], message: [2, 'string'] };

export const encodeExportRequest = (request: ExportRequest): Uint8Array<ArrayBuffer> =>
  new Uint8Array(writeMessage(new BinaryWriter(), exportRequest, request).finish());

/** The answer in the form that it has in JSON; undefined for what is no such message. */
export function decodeAnswer(bytes: Uint8Array, isOk: boolean): Json | undefined {
  try {
    return readMessage(new BinaryReader(bytes), bytes.byteLength, isOk ? exportResponse : errorStatus);
  } catch {
    return undefined;
  }
}

interface ScalarCodec {
  readonly wireType: WireType;
  readonly write: (writer: BinaryWriter, value: unknown) => void;
  readonly read: (reader: BinaryReader) => Json;
}

const scalars: Readonly<Record<Scalar, ScalarCodec>> = {
  string: {
    wireType: WireType.LengthDelimited,
    write: (writer, value) => writer.string(String(value)),
    read: (reader) => reader.string(),
  },
  id: {
    wireType: WireType.LengthDelimited,
    write: (writer, value) => writer.bytes(Buffer.from(String(value), 'hex')),
    read: (reader) => Buffer.from(reader.bytes()).toString('hex'),
  },
  int32: {
    wireType: WireType.Varint,
    write: (writer, value) => writer.int32(Number(value)),
    read: (reader) => reader.int32(),
  },
  int64: {
    wireType: WireType.Varint,
    write: (writer, value) => writer.int64(String(value)),
    read: (reader) => String(reader.int64()),
  },
  fixed64: {
    wireType: WireType.Bit64,
    write: (writer, value) => writer.fixed64(String(value)),
    read: (reader) => String(reader.fixed64()),
  },
  double: {
    wireType: WireType.Bit64,
    write: (writer, value) => writer.double(Number(value)),
    read: (reader) => reader.double(),
  },
  bool: {
    wireType: WireType.Varint,
    write: (writer, value) => writer.bool(value === true),
    read: (reader) => reader.bool(),
  },
};

function writeMessage(writer: BinaryWriter, message: Message, value: unknown): BinaryWriter {
  const members: [string, unknown][] = Object.entries(value ?? {});
  for (const [name, member] of members) {
    const field = message[name];
    if (!field) continue;
    for (const each of Array.isArray(member) ? member : [member]) writeField(writer, field, each);
  }
  return writer;
}

function writeField(writer: BinaryWriter, [number, type]: Field, value: unknown): void {
  if (typeof type === 'object') {
    writeMessage(writer.tag(number, WireType.LengthDelimited).fork(), type, value).join();
    return;
  }
  const { wireType, write } = scalars[type];
  write(writer.tag(number, wireType), value);
}

/** Of the answers, which have no repeated fields. Throws if the bytes are no message. */
function readMessage(reader: BinaryReader, end: number, message: Message): Json {
  const fields = new Map(Object.entries(message).map(([name, [number, type]]) => [number, { name, type }]));
  const members: [string, Json][] = [];
  while (reader.pos < end) {
    const [number, wireType] = reader.tag();
    const field = fields.get(number);
    if (field) members.push([field.name, readField(reader, field.type)]);
    else reader.skip(wireType, number);
  }
  return Object.fromEntries(members);
}

function readField(reader: BinaryReader, type: Field[1]): Json {
  if (typeof type === 'string') return scalars[type].read(reader);
  const length = reader.uint32();
  return readMessage(reader, reader.pos + length, type);
}

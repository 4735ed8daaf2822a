import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { createRouter, field, model, RegistrationError } from '../../src/index.ts'
import { rest } from '../../src/policy/rest/rest.ts'
import { memory } from '../../src/store/memory/memory.ts'
import { client } from '../support/client.ts'
import { leaveRoutersUnwatched } from '../support/truth/watching.ts'

// Preprocessed, coerced and caught schemas accept more than their JSON Schema, and so more than the
// document says.
leaveRoutersUnwatched()

const numRuns = Math.ceil(Number(process.env.FUZZ_RUNS ?? 300) / 20)

/** Schemas whose output differs from their input, by every means of a validator. */
const schemas: Readonly<Record<string, z.ZodType>> = {
  trimmed: z.string().trim().toLowerCase(),
  appended: z
    .string()
    .transform((text) => `${text}!`)
    .pipe(z.string()),
  patterned: z
    .string()
    .regex(/^\d+$/)
    .transform((text) => `#${text}`)
    .pipe(z.string()),
  counted: z.string().transform(Number).pipe(z.number()),
  codec: z.codec(z.string(), z.number(), { decode: Number, encode: String }),
  stringbool: z.stringbool(),
  either: z.union([z.number(), z.string().transform(Number).pipe(z.number())]),
  preprocessed: z.preprocess((value) => String(value).slice(0, 3), z.string()),
  coerced: z.coerce.number(),
  coercedText: z.coerce.string(),
  withDefault: z.string().default('usual'),
  madeAnew: z.string().default(() => String(Math.random())),
  prefault: z.string().trim().prefault(' x '),
  caught: z.number().catch(7),
  date: z.iso.date(),
  dateTime: z.iso.datetime({ offset: true }),
  union: z.union([z.string(), z.number(), z.boolean()]),
  tagged: z.discriminatedUnion('kind', [
    z.object({ kind: z.literal('a'), x: z.string().trim() }),
    z.object({ kind: z.literal('b'), y: z.number().default(1) }),
  ]),
  nullable: z.string().nullable(),
  nullish: z.number().nullish(),
  optional: z.string().optional(),
  exact: z.object({ inner: z.string().optional(), or: z.string().nullable().default(null) }),
  readonly: z.object({ tags: z.array(z.string().trim()).readonly() }).readonly(),
  record: z.record(z.string(), z.number()),
  recordOfTransformed: z.record(
    z.string(),
    z
      .string()
      .transform((text) => text.length)
      .pipe(z.number()),
  ),
  nested: z.object({
    list: z.array(z.object({ deep: z.string().transform(Number).pipe(z.number()) })),
  }),
  tuple: z.tuple([z.string(), z.number().optional()]),
  loose: z.looseObject({ a: z.string() }),
  literal: z.literal(['a', 1, null]),
  listed: z.enum(['a', 'b']),
  appendedInside: z.object({
    text: z
      .string()
      .transform((text) => `${text}?`)
      .pipe(z.string()),
  }),
  nulled: z
    .string()
    .transform(() => null)
    .pipe(z.null()),
  anything: z.unknown(),
}

const text = fc.oneof(
  fc.constantFrom(
    '',
    'a',
    ' A ',
    '1',
    '42',
    'true',
    'no',
    '2024-05-01',
    '2024-05-01T10:00:00+02:00',
    '😀😀',
  ),
  fc.string({ unit: 'grapheme', maxLength: 5 }).filter((entry) => !entry.includes('\0')),
)
const scalar = fc.oneof(text, fc.constantFrom(0, 1, -1.5, 1_000, true, false, null))
const value = fc.oneof(
  { weight: 4, arbitrary: scalar },
  fc.array(scalar, { maxLength: 2 }),
  fc.dictionary(fc.constantFrom('a', 'b'), scalar),
  fc.record({ kind: fc.constantFrom('a', 'b'), x: text }, { requiredKeys: ['kind'] }),
  fc.record({ inner: text, text, tags: fc.array(text, { maxLength: 2 }) }, { requiredKeys: [] }),
  fc.record({ list: fc.array(fc.record({ deep: text }), { maxLength: 2 }) }),
)

/** Each schema takes one of them. */
const examples = [
  '1',
  'a',
  1,
  true,
  null,
  '2024-05-01',
  '2024-05-01T10:00:00+02:00',
  { a: 1 },
  { a: 'x' },
  { kind: 'a', x: ' x' },
  { inner: 'x' },
  { text: 'x' },
  { tags: ['x '] },
  ['a', 1],
].map((entry): [unknown] => [entry])

function prepared(schema: z.ZodType) {
  const router = createRouter({ policy: rest(), store: memory() })
  router.prepare(model('thing', { odd: schema, note: z.string().optional() }))
  return router
}

function isAccepted(schema: z.ZodType): boolean {
  try {
    return prepared(schema).rules.length > 0
  } catch (error) {
    if (error instanceof RegistrationError) return false
    throw error
  }
}

const accepted = Object.entries(schemas).filter(([, schema]) => isAccepted(schema))
const refused = Object.keys(schemas).filter((name) => !accepted.some(([one]) => one === name))

describe('What GET returned can be sent back', () => {
  it.each(accepted)('by PUT and PATCH, and changes nothing: %s', async (_, schema) => {
    const router = prepared(schema)
    const api = client(router)
    let created = 0
    await fc.assert(
      fc.asyncProperty(fc.option(value, { nil: undefined }), async (odd) => {
        const response = await api.post('/things', { thing: { odd } })
        expect(response.status).toBeLessThan(500)
        if (response.status !== 201) return
        created++
        const path = response.headers.get('location') ?? ''
        const result = await api.get(path)
        const put = await api.put(path, result.body)
        expect([put.status, put.body], put.text).toEqual([200, result.body])
        const patched = await api.patch(path, result.body)
        // In a PATCH null removes a member.
        expect(patched.status, patched.text).toBe(200)
        if (!result.text.includes('null')) expect(patched.body).toEqual(result.body)
        const noted = await api.patch(path, { thing: { note: 'x' } })
        expect([noted.status, noted.at('/thing/odd')]).toEqual([200, patched.at('/thing/odd')])
      }),
      { numRuns: numRuns + examples.length, examples },
    )
    expect(created).toBeGreaterThan(0)
  })

  it('unless registration refuses the schema', () => {
    expect(refused).toEqual(['counted', 'recordOfTransformed', 'nested', 'nulled'])
    expect(() => prepared(schemas.nested!).rules).toThrow(
      "The field 'odd' of the model 'thing' has the input type string but the output type number at 'list.*.deep', so clients cannot send back what they receive.",
    )
  })

  it('unless the value is write-only or read-only', () => {
    for (const option of ['writeOnly', 'readOnly', 'hidden'])
      expect(isAccepted(field(schemas.counted!, { [option]: true }) as never)).toBe(true)
  })
})

import fc from 'fast-check'
import { brokenValue } from '../arbitrary/broken-value.ts'
import { hostileHeaders, hostileSegments, hostileTexts, hostileValue } from '../arbitrary/hostile-value.ts'
import type { Known } from '../arbitrary/known.ts'
import { validValue } from '../arbitrary/valid-value.ts'
import type { DescribedOperation } from '../described-operation.ts'
import type { Schemas } from '../schemas.ts'
import { bodies, noBody, type PlannedBody } from './body.ts'
import { encoded, pathOf, queryOf, saysAll, textOf, validPath } from './parts.ts'
import { type PlannedRequest, plannedRequest } from './planned-request.ts'

/** The ways in which requests of one operation are made up. */
export type Manner = 'valid' | 'broken' | 'hostile'

export function requestsOf(
  manner: Manner,
  known: Known,
  schemas: Schemas,
  operation: DescribedOperation,
): fc.Arbitrary<PlannedRequest> {
  switch (manner) {
    case 'valid':
      return validRequests(known, schemas, operation)
    case 'broken':
      return brokenRequests(known, schemas, operation)
    case 'hostile':
      return hostileRequests(known, schemas, operation)
  }
}

function validRequests(known: Known, schemas: Schemas, operation: DescribedOperation): fc.Arbitrary<PlannedRequest> {
  const clear = { ...operation, parameters: operation.parameters.filter(saysAll) }
  const query = fc.oneof(
    fc.constant({ text: '', clear: true }),
    fc.oneof(
      queryOf(clear, ({ schema }) => validValue(known, schema.value)).map((text) => ({
        text: text.split('&')[0]!,
        clear: true,
      })),
      queryOf(operation, ({ schema }) => validValue(known, schema.value)).map((text) => ({ text, clear: false })),
    ),
  )
  const body = bodies(known, schemas, operation, (values) => values)
  return fc.tuple(validPath(known, operation), query, body).map(([path, { text, clear }, body]) => {
    const owed = clear && (operation.body === undefined || body.fits === true) ? 'success' : 'answer'
    return plannedRequest(operation, path + text, body, owed)
  })
}

function brokenRequests(known: Known, schemas: Schemas, operation: DescribedOperation): fc.Arbitrary<PlannedRequest> {
  const query = queryOf(operation, ({ schema }) => fc.oneof(validValue(known, schema.value), hostileValue))
  const inQuery = fc
    .tuple(
      validPath(known, operation),
      query,
      bodies(known, schemas, operation, (values) => values),
    )
    .map(([path, text, body]) => plannedRequest(operation, path + text, body, 'answer'))
  if (!operation.body) return inQuery
  const inBody = fc
    .tuple(validPath(known, operation), bodies(known, schemas, operation, brokenValue))
    .map(([path, body]) => plannedRequest(operation, path, body, body.fits === false ? 'refusal' : 'answer'))
  return fc.oneof({ weight: 3, arbitrary: inBody }, { weight: 1, arbitrary: inQuery })
}

function hostileRequests(known: Known, schemas: Schemas, operation: DescribedOperation): fc.Arbitrary<PlannedRequest> {
  const path = pathOf(operation.path, () => fc.constantFrom(...hostileSegments))
  const query = fc.oneof(
    queryOf(operation, () => hostileValue),
    fc.tuple(hostileValue, hostileValue).map(([name, value]) => `?${short(name)}=${short(value)}`),
  )
  const body = operation.body
    ? fc.oneof(
        fc
          .tuple(fc.constantFrom(...hostileTexts), fc.constantFrom(...typesOf(operation)))
          .map(([content, type]): PlannedBody => ({ ...noBody, content, type })),
        bodies(known, schemas, operation, () => hostileValue),
      )
    : fc.constant(noBody)
  const headers = fc.option(fc.constantFrom(...hostileHeaders), { nil: undefined })
  return fc
    .tuple(
      fc.oneof(path, validPath(known, operation)),
      fc.option(query, { nil: '' }),
      fc.oneof(
        body,
        bodies(known, schemas, operation, (values) => values),
      ),
      headers,
    )
    .map(([path, text, body, header]) =>
      plannedRequest(operation, path + text, body, 'answer', header && Object.fromEntries([header])),
    )
}

function short(value: unknown): string {
  return encoded(textOf(value).slice(0, 4_000))
}

function typesOf({ body }: DescribedOperation): readonly (string | undefined)[] {
  return body && body.content.size > 0 ? [...body.content.keys()] : [undefined]
}

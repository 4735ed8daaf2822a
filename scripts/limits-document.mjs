/** Where the limits stand in the code, and under which names. */
const sources = {
  'rule/router-limits': ['defaultRouterLimits'],
  'adapter/node-limits': ['defaultServerLimits'],
  'store/sqlite/scan-limits': ['defaultScanLimits'],
  'model/declare/resource': ['defaultMaxPixels'],
  'model/describe/describe-resource': ['defaultResources'],
  'http/query-string': ['maxQueryLength', 'maxParameters', 'maxParameterName'],
  'http/json/find-json-problems': ['maxJsonDepth'],
  'http/file-name': ['maxFileNameBytes'],
  'http/headers/accept': ['maxAcceptMembers'],
  'rule/parameter/filter-operators': ['maxSearchLength'],
  'query/cursor-codec': ['maxCursorLength'],
  'model/valid-id': ['maxIdLength'],
  'error/api-error': ['maxReportedProblems', 'maxProblems'],
  'concurrency/item-lock': ['maxWaitingForItem'],
  'operation/action/run-action': ['maxActionAttempts'],
  'operation/resource/sharp': ['imageLimits'],
  'pipeline/large-bodies': ['largeBodyBytes', 'maxLargeBodies', 'maxWaitingBodies'],
  'document/include-budget': ['defaultIncludeLimits'],
  'store/sqlite/group-commit': ['mostWaitingWrites'],
  'adapter/node-connections': ['maxPipelinedRequests'],
}

/**
 * The limits that clients can meet, as a page.
 * @param {(path: string) => Promise<Record<string, unknown>>} load imports a module by its path
 * below the code, without its ending
 */
export async function limitsDocument(load) {
  /** @type {Record<string, any>} */
  const code = {}
  for (const [path, names] of Object.entries(sources)) {
    const module = await load(path)
    for (const name of names) {
      if (module[name] === undefined) throw new Error(`'${path}' has no '${name}'.`)
      code[`${path}.${name}`] = module[name]
    }
  }
  const fixed = Object.fromEntries(
    Object.entries(code).map(([key, value]) => [key.slice(key.indexOf('.') + 1), value]),
  )
  const room = fixed.defaultIncludeLimits
  return [
    '# Limits',
    '',
    'What a client can run into, with the option that changes it. Made from the code by `npm run limits`. Every refusal names the limit that it met; [errors.md](errors.md) explains the codes.',
    '',
    '## What one request may ask for',
    '',
    'The `limits` of `createRouter({ limits })`. Beyond, the answer is 400 `limit-exceeded`, unless something else is said here.',
    '',
    ...options(code['rule/router-limits.defaultRouterLimits'], {
      defaultPageSize: 'Items of a page that names no size.',
      maxPageSize: 'Items of a page: 400 `page-too-large`.',
      maxOffset: 'How far into a list a page by number or offset reaches. Cursors reach any place.',
      maxSortKeys: 'Fields that a list is sorted by.',
      maxFilterNodes:
        'Comparisons and connectives of the filters of a list, and again of those of what it includes.',
      maxFilterDepth: 'How deep `and`, `or` and `not` are nested.',
      maxFilterValues: 'Values of one `in`, `nin`, `any` or `all`.',
      maxWildcards: 'Wildcards of one `like`.',
      maxPatternLength: 'Characters of one `like`.',
      maxTotalPatternLength: 'Characters of all `like` of a list, and again of what it includes.',
      maxRelationDepth: 'Relations in a row in `filter`, `sort` and `include`.',
      maxIncludePaths: 'Paths of `include`.',
      maxOperations: 'Operations of a batch.',
      maxIdentifiers: 'Identifiers that the relations of a request name.',
      maxChangedItems:
        'Items that a request changes or removes, those that refer to its own among them.',
      maxBodyBytes: 'Bytes of a JSON body: 413 `body-too-large`.',
      maxJsonValues:
        'Members and elements of a JSON body, at all levels. Four for each of `maxIdentifiers` where that is more.',
      maxItemValues:
        'Members and elements of one item that is written, at all levels, or of the input of an action. Identifiers of relations do not count.',
      maxItemBytes: 'Bytes of an item as it is stored: 413 `item-too-large`.',
    }),
    '',
    'No option changes these. A query string also stands in the head of a request, which `maxHeaderBytes` below bounds.',
    '',
    ...table(
      ['limit', 'value'],
      [
        ['Characters of a query string', number(fixed.maxQueryLength)],
        ['Parameters of a query string', number(fixed.maxParameters)],
        ['Characters of the name of a parameter', number(fixed.maxParameterName)],
        [
          'Characters of the text of `contains`, `startsWith` and `endsWith`',
          number(fixed.maxSearchLength),
        ],
        ['Characters of a cursor that the service gives', number(fixed.maxCursorLength)],
        ['Levels of a JSON body', number(fixed.maxJsonDepth)],
        ['Characters of an id (422 `invalid-id`)', number(fixed.maxIdLength)],
        [
          'Bytes of the name of an uploaded file, which is shortened beyond',
          number(fixed.maxFileNameBytes),
        ],
        [
          'Members of `Accept` that are read; further ones are passed over',
          number(fixed.maxAcceptMembers),
        ],
        [
          'Faults that one answer lists; it tells how many more there are',
          number(fixed.maxReportedProblems),
        ],
        ['Faults that a request is looked through for', number(fixed.maxProblems)],
      ],
    ),
    '',
    '## Binary resources',
    '',
    'Options of the fields. More bytes are 413 `body-too-large`, more pixels 422 `image-too-large`.',
    '',
    ...table(
      ['option', 'default', 'limit'],
      [
        ...['file', 'image', 'audio'].map((media) => [
          `\`${media}({ maxBytes })\``,
          number(fixed.defaultResources[media].maxBytes),
          'Bytes of an upload.',
        ]),
        [
          '`image({ maxPixels })`',
          number(fixed.defaultMaxPixels),
          'Pixels of an image, counting all its frames, where sharp is installed.',
        ],
      ],
    ),
    '',
    '## How long things may take',
    '',
    ...table(
      ['option', 'default', 'limit'],
      [
        [
          '`createRouter({ actionTimeoutMs })`',
          '30 000',
          'Milliseconds of an action: 500; of the wait for actions on the same item: 429 `too-many-requests`.',
        ],
        [
          '`createRouter({ validationTimeoutMs })`',
          '10 000',
          'Milliseconds of all asynchronous schemas of a request: 503 `validation-timeout`.',
        ],
        [
          '`sqlite(file, { statementTimeoutMs })`',
          number(code['store/sqlite/scan-limits.defaultScanLimits'].timeoutMs),
          'Milliseconds of a statement in a thread: 503 `query-timeout`.',
        ],
      ],
    ),
    '',
    '## What a client may take of the server',
    '',
    'The `limits` of `serve(services, { limits })`.',
    '',
    ...options(
      { ...code['adapter/node-limits.defaultServerLimits'], maxConnections: undefined },
      {
        headersTimeoutMs: 'Milliseconds until the head of a request is here: 408.',
        requestTimeoutMs: 'Milliseconds that a body may stall, and that a JSON body may take: 408.',
        uploadTimeoutMs: 'Milliseconds until a whole request is here: 408.',
        idleTimeoutMs: 'Milliseconds that a connection is kept between two requests.',
        stalledWriteTimeoutMs:
          'Milliseconds that a client may read nothing of an answer; then the connection is cut.',
        minReadBytesPerSecond:
          'Bytes per second that a client reads at least, on average, while an answer waits for it.',
        maxHeaderBytes: 'Bytes of the head of a request: 431.',
        maxConnections: 'Connections at a time; further ones are closed.',
      },
    ),
    '',
    `At most ${number(fixed.maxPipelinedRequests)} requests are sent ahead on a connection; then it is cut.`,
    '',
    '## How many may wait',
    '',
    'Whoever comes when so many wait already is answered with 503 `overloaded` and `Retry-After`.',
    '',
    ...table(
      ['for', 'at work', 'waiting'],
      [
        [
          'a thread that looks through a table: `sqlite(file, { maxScanThreads, maxWaitingScans })`',
          'one fewer than cores, at most 4',
          number(code['store/sqlite/scan-limits.defaultScanLimits'].maxWaiting),
        ],
        ['a write to an SQLite file', '1', number(fixed.mostWaitingWrites)],
        ['the actions on one item that wait for something', '1', number(fixed.maxWaitingForItem)],
        [
          `a JSON body of ${number(fixed.largeBodyBytes)} bytes or more`,
          number(fixed.maxLargeBodies),
          number(fixed.maxWaitingBodies),
        ],
        [
          'an image that is read or made in another form, of the whole process',
          `${number(fixed.imageLimits.maxParallel)}, of which one AVIF`,
          number(fixed.imageLimits.maxWaiting),
        ],
        ['a document that includes many items', number(room.maxParallel), number(room.maxWaiting)],
      ],
    ),
    '',
    `Large documents begin while those of the router hold less than ${number(room.maxBytes)} bytes, and wait at most ${number(room.maxWaitMs)} ms.`,
    `An action that waits is called at most ${number(fixed.maxActionAttempts)} times while others change its item; then the answer is 409 \`conflict\`.`,
    '',
  ].join('\n')
}

/**
 * A row for each option, which has to be described.
 * @param {Readonly<Record<string, number | undefined>>} defaults
 * @param {Readonly<Record<string, string>>} meanings
 */
function options(defaults, meanings) {
  const unknown = Object.keys({ ...defaults, ...meanings }).filter(
    (name) => !(name in defaults) || !meanings[name],
  )
  if (unknown.length > 0)
    throw new Error(`Limits without a sentence, or sentences without a limit: ${unknown.join()}.`)
  const rows = Object.entries(defaults).map(([name, value]) => [
    `\`${name}\``,
    number(value),
    meanings[name] ?? '',
  ])
  return table(['option', 'default', 'limit'], rows)
}

/** @param {number | undefined} value */
function number(value) {
  return value === undefined ? 'none' : String(value).replaceAll(/\B(?=(\d{3})+$)/g, ' ')
}

/**
 * @param {readonly string[]} heads
 * @param {readonly (readonly string[])[]} rows
 */
function table(heads, rows) {
  const widths = heads.map((_, column) =>
    Math.max(...[heads, ...rows].map((row) => (row[column] ?? '').length)),
  )
  const line = (/** @type {readonly string[]} */ row) =>
    `| ${row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(' | ')} |`
  return [
    line(heads),
    `| ${widths.map((width) => '-'.repeat(width)).join(' | ')} |`,
    ...rows.map(line),
  ]
}

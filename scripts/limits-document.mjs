/** The modules of the limits, and the names of the limits in them. */
export const limitSources = {
  'rule/router-limits': ['defaultRouterLimits'],
  'adapter/node-limits': ['defaultServerLimits'],
  'adapter/overload/overload-options': ['defaultOverload'],
  'feature/change-log/feed/change-feed-options': ['defaultChangeFeed'],
  'feature/change-log/feed/log-run': ['maxFollowingChanges', 'maxFollowingBytes'],
  'feature/idempotency/idempotency-options': ['defaultIdempotencyLimits'],
  'store/request-record-keeper': ['scarceFrom', 'clientShare'],
  'feature/idempotency/idempotency-key': ['maxKeyLength'],
  'limits/memory-limiter': ['defaultMaxKeys'],
  'feature/idempotency/key-lock': ['maxWaitingForKey'],
  'store/sqlite/scan-limits': ['defaultScanLimits', 'maxOpenLists'],
  'store/postgres/options': ['defaultConnectionLimits'],
  'model/declare/resource': ['defaultMaxPixels'],
  'model/describe/describe-resource': ['defaultResources'],
  'http/query-string': ['maxQueryLength', 'maxParameters', 'maxParameterName'],
  'http/json/find-json-problems': ['maxJsonDepth'],
  'http/file-name': ['maxFileNameBytes'],
  'http/headers/accept': ['maxAcceptMembers'],
  'rule/parameter/query-bounds': ['maxLinkedQueryLength'],
  'rule/parameter/filter-operators': ['maxSearchLength'],
  'query/cursor-codec': ['maxCursorLength'],
  'model/id': ['maxIdLength'],
  'error/api-error': ['maxProblems'],
  'error/max-reported-problems': ['maxReportedProblems'],
  'concurrency/item-lock': ['maxWaitingForItem'],
  'operation/action/run-action': ['maxActionAttempts'],
  'operation/resource/image-limits': ['imageLimits'],
  'pipeline/large-bodies': ['largeBodyBytes', 'maxLargeBodies', 'maxWaitingBodies'],
  'document/document-budget': ['bytesPerIdentifier', 'defaultDocumentLimits'],
  'store/sqlite/group-commit': ['maxWaitingWrites'],
  'store/tables/process-locks': ['maxWaitingLocks'],
  'adapter/node-connections': ['maxPipelinedRequests'],
  'adapter/workers/hand-off': ['maxWaitingConnections'],
}

/**
 * The page docs/limits.md: the limits that clients can reach.
 * @param {(path: string) => Promise<Record<string, unknown>>} load imports a module by its path
 * below `src/` or `dist/`, without its extension
 */
export async function limitsDocument(load) {
  /** @type {Record<string, any>} */
  const code = {}
  for (const [path, names] of Object.entries(limitSources)) {
    const module = await load(path)
    for (const name of names) {
      if (module[name] === undefined) throw new Error(`'${path}' has no '${name}'.`)
      code[`${path}.${name}`] = module[name]
    }
  }
  const fixed = Object.fromEntries(
    Object.entries(code).map(([key, value]) => [key.slice(key.indexOf('.') + 1), value]),
  )
  const included = fixed.defaultDocumentLimits
  const postgres = fixed.defaultConnectionLimits
  return [
    '# Limits',
    '',
    'The limits that a client can reach, and the options that change them.',
    '`npm run limits` makes this page from the code.',
    'Every refusal names its limit; [errors.md](errors.md) lists the error codes.',
    '',
    '## Limits of one request',
    '',
    'Options of `createRouter({ limits })`.',
    'The response is 400 `limit-exceeded`, unless the table says otherwise.',
    '',
    ...options(
      { ...code['rule/router-limits.defaultRouterLimits'], maxItems: undefined },
      {
        defaultPageSize: 'Items of a page without `page[size]`.',
        maxPageSize: 'Items of a page: 400 `page-too-large`.',
        maxOffset: 'Items before a page by number or offset. Pages by cursor have no such limit.',
        maxItems: 'Items of a list without `page`.',
        maxSortKeys: 'Fields in `sort`.',
        maxFilterNodes:
          'Comparisons and connectives of all filters of a list, and again of all filters of included relations.',
        maxFilterDepth: 'Levels of nested `and`, `or` and `not`.',
        maxFilterValues: 'Values of one `in`, `nin`, `any` or `all`.',
        maxTotalFilterValues: 'Values of all filters of a list, and again of included relations.',
        maxWildcards: 'Wildcards of one `like`.',
        maxPatternLength: 'Characters of one `like`.',
        maxTotalPatternLength:
          'Characters of all `like` patterns of a list, and again of included relations.',
        maxSearchWords: 'Words of `search`.',
        maxSearchLength: 'Characters of `search`.',
        maxRelationDepth: 'Relations of one path in `filter`, `sort` and `include`.',
        maxIncludePaths: 'Paths in `include`.',
        maxAggregates: 'Functions in `withAggregates`, and members in `withFacets`.',
        maxGroupKeys: 'Members in `groupBy`.',
        maxGroups: 'Groups of a list, before `filterGroups` and `page`.',
        maxFacetValues: 'Values of each member in `withFacets`.',
        maxModelsPerFeed: 'Models in `models` of `/changes`.',
        maxOperations: 'Operations of a batch.',
        maxIdentifiers: 'Ids in the to-many relations of a request.',
        maxChangedItems:
          'Items that a request changes or deletes, with the items that refer to them.',
        maxQueryBytes: 'Bytes of the body of QUERY: 413 `body-too-large`.',
        maxBodyBytes:
          'Bytes of a JSON body, or of one line of a body with several items: 413 `body-too-large`.',
        maxJsonValues:
          'Members and elements of a JSON body, at all levels. At least four times `maxIdentifiers`.',
        maxItemValues:
          'Members and elements of one written item, or of the input of an action, at all levels. Ids of relations do not count.',
        maxStrictLines:
          'Items of a body of lines with `Prefer: handling=strict`. Without it, a body may have any number.',
        maxStrictBytes: 'Bytes of such a body: 413 `body-too-large`.',
        maxItemBytes: 'Bytes of a stored item: 413 `item-too-large`.',
      },
    ),
    '',
    'The following limits have no option.',
    'The query string also counts for `maxHeaderBytes` (see below).',
    '',
    ...table(
      ['limit', 'value'],
      [
        ['Characters of the query string of an address', number(fixed.maxQueryLength)],
        [
          'Characters of a query that links of responses to QUERY repeat',
          number(fixed.maxLinkedQueryLength),
        ],
        ['Parameters of a query string or of QUERY', number(fixed.maxParameters)],
        ['Characters of the name of a parameter', number(fixed.maxParameterName)],
        [
          'Characters of the text in `contains`, `startsWith` and `endsWith`',
          number(fixed.maxSearchLength),
        ],
        ['Characters of a cursor', number(fixed.maxCursorLength)],
        ['Levels of a JSON body', number(fixed.maxJsonDepth)],
        ['Characters of an id (422 `invalid-id`)', number(fixed.maxIdLength)],
        ['Bytes of a file name; a longer one is shortened', number(fixed.maxFileNameBytes)],
        ['Members of `Accept`; further ones are ignored', number(fixed.maxAcceptMembers)],
        [
          'Problems in one response; it also has the number of further ones',
          number(fixed.maxReportedProblems),
        ],
        ['Problems of a request until validation stops', number(fixed.maxProblems)],
      ],
    ),
    '',
    '## Requests with an Idempotency-Key',
    '',
    'Options of `createRouter({ idempotency })`.',
    `A key has at most ${number(fixed.maxKeyLength)} characters (400 \`invalid-idempotency-key\`).`,
    '',
    ...options(
      { ...fixed.defaultIdempotencyLimits },
      {
        keepMs: 'Milliseconds that a result is kept.',
        maxResultBytes:
          'Bytes of a result. Instead of a longer item, a repetition shows it as it is by then; a longer output of an action is 409 `response-not-kept`.',
        maxRecords: 'Results that are kept; a further key is 503 `overloaded`.',
        maxTotalBytes: 'Bytes of all results that are kept; a further key is 503 `overloaded`.',
      },
    ),
    '',
    `Once ${fixed.scarceFrom * 100} % of \`maxRecords\` or \`maxTotalBytes\` is used, one client keeps at most ${fixed.clientShare * 100} %.`,
    '`Retry-After` says when enough results have expired.',
    '',
    '## Changes of lists',
    '',
    'Options of `createRouter({ changes: { feed } })`.',
    'A page has at most `maxPageSize` changes, and a request waits at most 60 seconds for the first one (`wait`).',
    '',
    ...options(
      { ...fixed.defaultChangeFeed },
      {
        connectionMs: 'Milliseconds that a stream lasts; browsers connect again.',
        heartbeatMs: 'Milliseconds between two comments of a stream without changes.',
        maxSubscribers:
          'Clients of a process that wait for changes at once: 429 `too-many-requests`.',
        maxSubscribersPerCaller:
          'Those of one caller, or of one address without a caller: 429 `too-many-requests`.',
      },
    ),
    '',
    `Where related items decide what a client sees, it reads the list again (\`reset\`) if more than ${number(fixed.maxFollowingChanges)} changes follow in the log, or changes of items with more than ${number(fixed.maxFollowingBytes)} bytes.`,
    '',
    '## Limits of clients',
    '',
    'Options of `limit()` of `resourcery/limits`; without it, clients have no limits.',
    '',
    ...table(
      ['option', 'default', 'limit'],
      [
        [
          '`limit({ points, seconds })`',
          '-',
          'Points of a client in a period: 429 `too-many-requests`.',
        ],
        [
          '`limit({ concurrent })`',
          '-',
          'Requests of a client at a time: 429 `too-many-requests`.',
        ],
        [
          '`limit({ maxKeys })`',
          number(fixed.defaultMaxKeys),
          'Clients that a limiter in memory tells apart; further ones share points.',
        ],
      ],
    ),
    '',
    '## Binary resources',
    '',
    'Options of the fields.',
    'An upload with more bytes is refused with 413 `body-too-large`, one with more pixels with 422 `image-too-large`.',
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
          'Pixels of an image over all frames, if sharp is installed.',
        ],
      ],
    ),
    '',
    '## Timeouts',
    '',
    ...table(
      ['option', 'default', 'limit'],
      [
        [
          '`createRouter({ timeouts: { actionMs } })`',
          '30 000',
          'Milliseconds of an action (500), and of the wait for other actions on the same item (429 `too-many-requests`).',
        ],
        [
          '`createRouter({ timeouts: { hookMs } })`',
          '10 000',
          'Milliseconds that a hook, an action or a function in a transaction does nothing with items: the transaction is undone (503 `hook-timeout`). A response waits as long for hooks after the commit.',
        ],
        [
          '`createRouter({ timeouts: { validationMs } })`',
          '10 000',
          'Milliseconds of all asynchronous schemas of a request (503 `validation-timeout`).',
        ],
        [
          '`sqlite(file, { statementTimeoutMs })`',
          number(code['store/sqlite/scan-limits.defaultScanLimits'].timeoutMs),
          'Milliseconds of a statement in a scan worker (503 `query-timeout`).',
        ],
        [
          '`postgres(url, { statementTimeoutMs })`',
          number(postgres.statementTimeoutMs),
          'Milliseconds of a statement of PostgreSQL (503 `query-timeout`).',
        ],
        [
          '`postgres(url, { listTimeoutMs })`',
          number(postgres.listTimeoutMs),
          'Milliseconds of a statement of a request that may read many rows, such as that of a list (503 `query-timeout`). Half of `statementTimeoutMs`.',
        ],
        [
          '`postgres(url, { lockTimeoutMs })`',
          number(postgres.lockTimeoutMs),
          'Milliseconds that a statement waits for a lock of another transaction (503 `store-unavailable`); 500 while many transactions run.',
        ],
        [
          '`postgres(url, { failoverWaitMs })`',
          number(postgres.failoverWaitMs),
          'Milliseconds that a call waits while no primary can be connected to (503 `store-unavailable`).',
        ],
        [
          '`postgres(url, { connectTimeoutMs })`',
          number(postgres.connectTimeoutMs),
          'Milliseconds until a connection to PostgreSQL is open (503 `store-unavailable`).',
        ],
        [
          '`postgres(url, { acquireTimeoutMs })`',
          number(postgres.acquireTimeoutMs),
          'Milliseconds until a connection to PostgreSQL is free (503 `overloaded`).',
        ],
      ],
    ),
    '',
    '## Limits of the server',
    '',
    'Options of `serve(services, { limits })`.',
    '',
    ...options(code['adapter/node-limits.defaultServerLimits'], {
      headersTimeoutMs: 'Milliseconds until all headers have arrived: 408.',
      requestTimeoutMs:
        'Milliseconds without any byte of a body, and until a JSON body has arrived: 408.',
      uploadTimeoutMs: 'Milliseconds until a whole request has arrived: 408.',
      idleTimeoutMs: 'Milliseconds that an idle connection stays open.',
      stalledWriteTimeoutMs:
        'Milliseconds in which a client reads nothing of a response; then the connection is closed.',
      minReadBytesPerSecond:
        'Bytes per second that a client must read on average while a response waits for it.',
      maxHeaderBytes: 'Bytes of the request line and the headers: 431.',
      maxConnections: 'Open connections; further ones are closed.',
      maxUnfinishedBodyBytes:
        'Bytes of all JSON bodies, and of lines, in memory that have not arrived completely, in the whole process. Beyond it, the one whose last bytes are the oldest is 503 `overloaded`.',
    }),
    '',
    `With ${number(fixed.maxPipelinedRequests)} pipelined requests, no more is read from a connection until half of them have responses.`,
    `With \`workers\`, these limits hold for each of them. While none is ready, ${number(fixed.maxWaitingConnections)} connections wait; further ones are closed.`,
    '',
    'Options of `serve(services, { overload })`, which are off by default; see [Overload](guide/limits.md#overload).',
    '',
    ...options(code['adapter/overload/overload-options.defaultOverload'], {
      maxDelayMs: 'Milliseconds that a turn of the event loop admits requests: 503 `overloaded`.',
      minPerTurn: 'Requests of a turn that are admitted however long it takes.',
      maxWaiting: 'Calls in a queue of a store; requests that would join it are 503 `overloaded`.',
    }),
    '',
    '## Queues',
    '',
    'A service responds with 503 `overloaded` and `Retry-After` if the queue of some work is full, or if the work waits too long in it.',
    '[Busy services](guide/limits.md#busy-services) says what that means for the load of a service.',
    '',
    ...table(
      ['work', 'in parallel', 'waiting'],
      [
        [
          'scans of a table in a worker: `sqlite(file, { maxScanThreads, maxWaitingScans })`',
          'number of cores - 1, at most 4',
          number(code['store/sqlite/scan-limits.defaultScanLimits'].maxWaiting),
        ],
        [
          'lists without `page` that are read in a worker, until their last item is read',
          number(fixed.maxOpenLists),
          number(code['store/sqlite/scan-limits.defaultScanLimits'].maxWaiting),
        ],
        [
          'statements of PostgreSQL: `postgres(url, { maxConnections, maxWaiting })`',
          number(postgres.maxConnections),
          number(postgres.maxWaiting),
        ],
        ['writes to an SQLite file', '1', number(fixed.maxWaitingWrites)],
        [
          'batches over PostgreSQL that change the same items; those of one client fill at most half of the queue',
          '1',
          number(fixed.maxWaitingLocks),
        ],
        ['asynchronous actions on one item', '1', number(fixed.maxWaitingForItem)],
        ['requests with one Idempotency-Key', '1', number(fixed.maxWaitingForKey)],
        [
          `JSON bodies of ${number(fixed.largeBodyBytes)} bytes or more`,
          number(fixed.maxLargeBodies),
          number(fixed.maxWaitingBodies),
        ],
        [
          'images that are read or converted, in the whole process',
          `${number(fixed.imageLimits.maxParallel)}, of them one AVIF`,
          number(fixed.imageLimits.maxWaiting),
        ],
        [
          'documents with many identifiers or included items',
          number(included.maxParallel),
          number(included.maxWaiting),
        ],
      ],
    ),
    '',
    `A scan, and a list that is read in a worker, wait at most \`statementTimeoutMs\` of \`sqlite\`; a statement of PostgreSQL waits at most \`acquireTimeoutMs\`.`,
    'PostgreSQL counts the calls that wait for each kind: of 10 connections, reads by id use all, transactions 9, and other reads 6, of them 4 for one client.',
    `A document with many identifiers or included items waits at most ${number(included.maxWaitMs)} ms. It is refused at once while those of the router that have begun use ${number(included.maxBytes)} bytes or more, at ${number(fixed.bytesPerIdentifier)} bytes for an identifier.`,
    `An asynchronous action runs at most ${number(fixed.maxActionAttempts)} times while other requests change its item; then the response is 409 \`conflict\`.`,
    '',
  ].join('\n')
}

/**
 * One row for each option; it throws if one has no description.
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

import {
  changesRead,
  type Gauge,
  gauges,
  groupCommitted,
  listenTo,
  statementsRun,
} from '../../telemetry/channels.ts'
import type { ErrorReporter } from '../error-reporter.ts'
import { durationBuckets } from '../trace/request-labels.ts'
import { statementLabels } from '../trace/statement-labels.ts'
import type { GaugeResult, Labels, Meter } from './meter.ts'

/** Powers of two up to the largest group of SQLite. */
const groupBuckets = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512]

interface GaugeMetric {
  readonly name: string
  readonly description: string
  readonly unit: string
  labels(of: string): Labels
}

const connectionCount = {
  name: 'db.client.connection.count',
  description: 'Connections of a pool, by what they do.',
  unit: '{connection}',
}

/** The metric of each gauge, by the names of the conventions where they have one. */
const gaugeMetrics: Readonly<Record<Gauge, GaugeMetric>> = {
  connectionsIdle: {
    ...connectionCount,
    labels: (of) => ({
      'db.client.connection.pool.name': of,
      'db.client.connection.state': 'idle',
    }),
  },
  connectionsUsed: {
    ...connectionCount,
    labels: (of) => ({
      'db.client.connection.pool.name': of,
      'db.client.connection.state': 'used',
    }),
  },
  connectionsMax: {
    name: 'db.client.connection.max',
    description: 'Connections that a pool may open.',
    unit: '{connection}',
    labels: (of) => ({ 'db.client.connection.pool.name': of }),
  },
  waitingCalls: {
    name: 'db.client.connection.pending_requests',
    description: 'Calls that wait for a connection.',
    unit: '{request}',
    labels: (of) => ({ 'db.client.connection.pool.name': of }),
  },
  queue: {
    name: 'resourcery.queue.length',
    description: 'What waits in a queue.',
    unit: '{call}',
    labels: (of) => ({ 'resourcery.queue.name': of }),
  },
}

/**
 * Measures what the stores and feeds of this process do, until the returned function is called:
 * database calls, connections, queues, groups of commits, and the delay of feeds.
 */
export function processMetrics(meter: Meter, report: ErrorReporter): () => void {
  const calls = meter.createHistogram('db.client.operation.duration', {
    description: 'Duration of database client operations.',
    unit: 's',
    advice: { explicitBucketBoundaries: [0.001, ...durationBuckets] },
  })
  const groups = meter.createHistogram('resourcery.sqlite.commit.transactions', {
    description: 'Transactions that share a commit of SQLite.',
    unit: '{transaction}',
    advice: { explicitBucketBoundaries: groupBuckets },
  })
  const delays = meter.createHistogram('resourcery.feed.delay', {
    description: 'Time from a change to the moment at which those who follow it can get it.',
    unit: 's',
    advice: { explicitBucketBoundaries: [...durationBuckets] },
  })
  const endings = [
    listenTo(
      statementsRun,
      (run) => calls.record(run.durationMs / 1_000, statementLabels(run)),
      report,
    ),
    listenTo(groupCommitted, ({ transactions }) => groups.record(transactions), report),
    listenTo(changesRead, ({ delayMs }) => delays.record(delayMs / 1_000), report),
    ...observeGauges(meter),
  ]
  return () => {
    for (const end of endings) end()
  }
}

function observeGauges(meter: Meter): (() => void)[] {
  const byName = new Map(Object.values(gaugeMetrics).map((metric) => [metric.name, metric]))
  return [...byName.values()].map(({ name, description, unit }) => {
    const gauge = meter.createObservableUpDownCounter(name, { description, unit })
    const callback = (result: GaugeResult): void => {
      // Several stores may have a pool or a queue of the same name.
      const sums = new Map<string, { readonly labels: Labels; value: number }>()
      gauges.publish({
        read(kind, value, of) {
          const metric = gaugeMetrics[kind]
          if (metric.name !== name) return
          const key = `${kind} ${of}`
          const sum = sums.get(key) ?? { labels: metric.labels(of), value: 0 }
          sum.value += value
          sums.set(key, sum)
        },
      })
      for (const { labels, value } of sums.values()) result.observe(value, labels)
    }
    gauge.addCallback(callback)
    return () => gauge.removeCallback(callback)
  })
}

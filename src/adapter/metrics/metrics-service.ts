import type { ApiRequest } from '../../http/api-request.ts'
import { type ApiResponse, respond } from '../../http/api-response.ts'
import { refusedMethod } from '../../http/route-problems.ts'
import { toProblemResponse } from '../problem-response.ts'
import type { Service } from '../service.ts'
import type { TraceSink } from '../trace/trace-requests.ts'
import { processMetrics } from './process-metrics.ts'
import { PrometheusMeter } from './prometheus-meter.ts'
import { requestMetrics } from './request-metrics.ts'

/** Measures requests and stores, and responds with the metrics. */
export interface Metrics {
  readonly service: Service
  readonly sink: TraceSink
}

/** @param path where the metrics are */
export function prometheusMetrics(path: string): Metrics {
  const meter = new PrometheusMeter()
  const requests = requestMetrics(meter)
  let stop: (() => void) | undefined
  const headers = {
    'content-type': 'text/plain; version=0.0.4; charset=utf-8',
    'cache-control': 'no-store',
  }
  return {
    sink: {
      begin: requests.begin,
      end: requests.end,
      open: (report) => {
        stop = processMetrics(meter, report)
      },
      close: () => stop?.(),
    },
    service: {
      basePath: path,
      paths: [path],
      async respond({ method }: ApiRequest): Promise<ApiResponse> {
        return method === 'GET' || method === 'HEAD'
          ? respond(200, headers, meter.text())
          : toProblemResponse(refusedMethod(method, ['GET', 'HEAD']), () => undefined)
      },
    },
  }
}

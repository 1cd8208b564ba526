// The winning chances of each seat over a game, with the decisions that gave something away.

import type { ReviewResult } from "./api";
import { t } from "./texts";

type Decision = ReviewResult["decisions"][number];

const [WIDTH, HEIGHT, EDGE] = [400, 200, 34];

interface Properties {
  decisions: Decision[];
  own: number | undefined;
  name: (seat: number) => string;
  look: (line: number) => void;
}

export function Curve({ decisions, own, name, look }: Properties) {
  const last = Math.max(1, ...decisions.map((each) => each.line));
  const x = (line: number) => EDGE + ((WIDTH - EDGE - 10) * line) / last;
  const y = (value: number) => 10 + (HEIGHT - 30) * (1 - value);
  const seats = [...new Set(decisions.map((each) => each.seat))].sort((one, other) => Number(one === own) - Number(other === own));
  return (
    <figure class="curve">
      <svg class="chart" viewBox={`0 0 ${WIDTH} ${HEIGHT}`} role="img" aria-label={t("chart")}>
        {[0, 0.5, 1].map((each) => (
          <g key={each}>
            <line class="grid" x1={EDGE} x2={WIDTH} y1={y(each)} y2={y(each)} />
            <text x={EDGE - 6} y={y(each) + 5}>{each * 100}</text>
          </g>
        ))}
        {seats.map((seat) => {
          const made = decisions.filter((each) => each.seat === seat);
          return (
            <g key={seat} class={seat === own ? "seat own" : "seat"} data-seat={seat}>
              <polyline points={made.map((each) => `${x(each.line)},${y(each.played.value)}`).join(" ")} />
              {made.filter((each) => each.verdict !== "good").map((each) => (
                <g key={each.line} class={each.verdict} onClick={() => look(each.line)}>
                  <line x1={x(each.line)} x2={x(each.line)} y1={y(each.played.value)} y2={y(each.best.value)} />
                  <circle cx={x(each.line)} cy={y(each.played.value)} r={each.verdict === "blunder" ? 8 : 6} />
                </g>
              ))}
            </g>
          );
        })}
      </svg>
      <figcaption class="small">
        {t("chart")} {seats.length > 1 && seats.map((seat) => <span key={seat} class={seat === own ? "key own" : "key"}>{name(seat)}</span>)}
      </figcaption>
    </figure>
  );
}

{{- define "sg.name" -}}{{ .Release.Name | trunc 50 | trimSuffix "-" }}{{- end }}
{{- define "sg.database" -}}{{ include "sg.name" . }}-db{{- end }}

{{- define "sg.labels" -}}
app.kubernetes.io/name: symbol-gateway
app.kubernetes.io/instance: {{ .Release.Name }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version }}
{{- end }}

{{- define "sg.selector" -}}
app.kubernetes.io/name: symbol-gateway
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "sg.image" -}}
{{ .Values.image.repository }}{{ if .Values.image.digest }}@{{ .Values.image.digest }}{{ else }}:{{ .Values.image.tag | default .Chart.AppVersion }}{{ end }}
{{- end }}

{{- define "sg.secretEnv" -}}
- name: {{ .env }}
  valueFrom: { secretKeyRef: { name: {{ .secret }}, key: {{ .key }}{{ if .optional }}, optional: true{{ end }} } }
{{- end }}

{{- /* Settings of all programs. The password is set apart: it may have any characters. */ -}}
{{- define "sg.env" -}}
- { name: CATAPULT_NODES, value: {{ required "nodes is required: host:port of a node" .Values.nodes | quote }} }
{{- with .Values.zeromq }}
- { name: CATAPULT_ZMQ, value: {{ . | quote }} }
{{- end }}
{{- if .Values.postgresql.enabled }}
- { name: DATABASE_URL, value: {{ printf "postgres://symbol@%s-rw:5432/symbol" (include "sg.database" .) | quote }} }
{{ include "sg.secretEnv" (dict "env" "DATABASE_PASSWORD" "secret" (printf "%s-app" (include "sg.database" .)) "key" "password") }}
{{- else }}
{{- $secret := required "postgresql.external.existingSecret is required without postgresql.enabled" .Values.postgresql.external.existingSecret }}
{{ include "sg.secretEnv" (dict "env" "DATABASE_URL" "secret" $secret "key" "url") }}
{{ include "sg.secretEnv" (dict "env" "DATABASE_PASSWORD" "secret" $secret "key" "password") }}
{{- end }}
{{- range $name, $value := .Values.settings }}
- { name: {{ $name }}, value: {{ $value | quote }} }
{{- end }}
{{- end }}

{{- define "sg.container" -}}
image: {{ include "sg.image" . }}
imagePullPolicy: {{ .Values.image.pullPolicy }}
securityContext:
  allowPrivilegeEscalation: false
  readOnlyRootFilesystem: true
  capabilities: { drop: [ALL] }
volumeMounts:
  - { name: data, mountPath: /var/lib/symbol-gateway/tls{{ if .Values.certificate.existingSecret }}, readOnly: true{{ end }} }
  - { name: tmp, mountPath: /tmp }
{{- end }}

{{- define "sg.pod" -}}
automountServiceAccountToken: false
{{- with .Values.imagePullSecrets }}
imagePullSecrets: {{ toYaml . | nindent 2 }}
{{- end }}
securityContext:
  runAsNonRoot: true
  # The user `node` of the image.
  runAsUser: 1000
  runAsGroup: 1000
  fsGroup: 1000
  seccompProfile: { type: RuntimeDefault }
# A program ends within 45 s.
terminationGracePeriodSeconds: 50
volumes:
  - name: data
    {{- if .Values.certificate.existingSecret }}
    secret: { secretName: {{ .Values.certificate.existingSecret }}, defaultMode: 0440 }
    {{- else }}
    emptyDir: {}
    {{- end }}
  - { name: tmp, emptyDir: {} }
{{- with .Values.nodeSelector }}
nodeSelector: {{ toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.tolerations }}
tolerations: {{ toYaml . | nindent 2 }}
{{- end }}
{{- end }}

{{- define "sg.spread" -}}
topologySpreadConstraints:
  - maxSkew: 1
    topologyKey: kubernetes.io/hostname
    whenUnsatisfiable: ScheduleAnyway
    labelSelector: { matchLabels: { app.kubernetes.io/instance: {{ .root.Release.Name }}, app.kubernetes.io/component: {{ .component }} } }
{{- end }}
